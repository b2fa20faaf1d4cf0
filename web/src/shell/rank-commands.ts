interface Labelled {
  readonly label: string;
}

/** The commands that contain the letters of a query in order; the shortest span of letters comes first. */
export function rankCommands<Item extends Labelled>(
  items: readonly Item[],
  query: string,
): readonly Item[] {
  const letters = query.toLowerCase().replaceAll(/\s+/g, '');
  if (letters === '') return items;
  return items
    .flatMap((item) => {
      const span = spanOf(item.label.toLowerCase(), letters);
      return span === undefined ? [] : [{ item, span }];
    })
    .toSorted((one, other) => one.span - other.span)
    .map(({ item }) => item);
}

/** Length of the shortest part of a label that contains the letters in order; undefined if there is none. */
function spanOf(label: string, letters: string): number | undefined {
  let shortest: number | undefined;
  for (let start = label.indexOf(letters.charAt(0)); start !== -1;) {
    const end = endOf(label, letters, start);
    if (end !== undefined) shortest = Math.min(shortest ?? Infinity, end - start);
    start = label.indexOf(letters.charAt(0), start + 1);
  }
  return shortest;
}

function endOf(label: string, letters: string, start: number): number | undefined {
  let position = start - 1;
  for (const letter of letters) {
    position = label.indexOf(letter, position + 1);
    if (position === -1) return undefined;
  }
  return position + 1;
}
