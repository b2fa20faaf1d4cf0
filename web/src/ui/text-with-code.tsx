/** Text in which backticks mark code. */
export function TextWithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className="font-mono text-[0.92em] text-text">
        {part}
      </code>
    ),
  );
}
