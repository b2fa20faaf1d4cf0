interface TypedModule {
  /** Name of the type of an event. */
  readonly type: string;
  /** Module that exports the type. */
  readonly from: string;
  /** The test that writes the file, such as "`x.test.ts` of the X API". */
  readonly recordedBy: string;
}

/** Source of a module with recorded events, which the compiler compares with a type of the official client. */
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
