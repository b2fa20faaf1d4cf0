const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39] } as const;

/** Functions that add color to text, or return it unchanged. */
export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Styles text with ANSI escape sequences (ECMA-48, select graphic rendition). */
export function createStyle(isOn: boolean): Style {
  const paint = (name: keyof typeof codes) => {
    const [open, close] = codes[name];
    return (text: string) =>
      isOn && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  };
  return { bold: paint('bold'), dim: paint('dim'), red: paint('red'), green: paint('green') };
}
