import { type Column, writeTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** The option `--json` of a command. */
interface Format {
  readonly json: boolean | undefined;
}

/** Writes the result of a command as JSON if the user wants it, otherwise as a line. */
export function writeResult(
  { output }: Terminal,
  { json }: Format,
  result: unknown,
  line: string,
): void {
  if (json === true) output.json(result);
  else output.line(line);
}

interface List<Row> {
  /** Written as JSON. */
  readonly result: unknown;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Message if there are no rows. */
  readonly ifEmpty: string;
}

/** Writes a list as JSON if the user wants it, otherwise as a table. */
export function writeList<Row>(
  { output, messages }: Terminal,
  { json }: Format,
  { result, rows, columns, ifEmpty }: List<Row>,
): void {
  if (json === true) output.json(result);
  else if (rows.length === 0) messages.line(ifEmpty);
  else writeTable(output, columns, rows);
}
