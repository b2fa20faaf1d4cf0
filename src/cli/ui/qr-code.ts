import { encode } from 'uqr';

/** Width of the light margin that readers need, in modules. */
const quietZone = 2;
const styles = { blackOnWhite: '\u{1b}[30;107m', reset: '\u{1b}[0m' };

/**
 * A text as a QR code in lines of a terminal, two modules per character. With colors, it is black on white, independent
 * of the terminal's colors. Without colors, the light modules are drawn, which suits a dark terminal.
 */
export function qrCodeLines(text: string, hasColors: boolean): readonly string[] {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone });
  const isDrawn = (x: number, y: number) => (data[y]?.[x] ?? false) === hasColors;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    let line = '';
    for (let x = 0; x < size; x += 1) {
      const [upper, lower] = [isDrawn(x, y), y + 1 < size && isDrawn(x, y + 1)];
      line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }
    lines.push(hasColors ? `${styles.blackOnWhite}${line}${styles.reset}` : line);
  }
  return lines;
}
