/** Paths with a folder, or in quotes, as terminals insert a file that is dropped on them. */
const pathPattern =
  /"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|(?<=^|\s)((?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])(?:\\ |[^\s\\]|\\(?! ))*?\.(?:png|jpe?g|gif|webp))(?=\s|$)/giu;

/** Splits a message into its text and the paths of images in it. A name without a folder is text. */
export function splitImagePaths(message: string): {
  readonly text: string;
  readonly paths: readonly string[];
} {
  const paths: string[] = [];
  const text = message.replaceAll(
    pathPattern,
    (_match, double?: string, single?: string, plain?: string) => {
      paths.push(double ?? single ?? plain?.replaceAll('\\ ', ' ') ?? '');
      return '';
    },
  );
  return paths.length === 0
    ? { text: message, paths }
    : { text: text.replaceAll(/[ \t]+/g, ' ').trim(), paths };
}
