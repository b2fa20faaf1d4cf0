interface TypedModule {
  /** Name of the type of one event. */
  readonly type: string;
  /** Module that exports the type. */
  readonly from: string;
  /** Who writes the file, such as "`x.test.ts` of the X API". */
  readonly recordedBy: string;
}

/** A module whose recorded events the compiler compares with a type of the official client. */
export function toTypedModule(
  { type, from, recordedBy }: TypedModule,
  recorded: readonly unknown[],
): string {
  return [
    `import type { ${type} } from '${from}';`,
    '',
    `/** Recorded by ${recordedBy}. */`,
    `export const recorded: readonly ${type}[] = [`,
    ...recorded.map((event) => `  ${JSON.stringify(event)},`),
    '];',
    '',
  ].join('\n');
}
