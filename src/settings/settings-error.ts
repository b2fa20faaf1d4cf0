/** An invalid setting; the message names the key, its source and the allowed values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** How to correct `config.json`; undefined if the error is elsewhere. */
  readonly fileRemedy: string | undefined;
  /** One error for each invalid setting, if there are several. */
  readonly errors: readonly SettingsError[];

  constructor(
    message: string,
    options: {
      readonly cause?: unknown;
      readonly fileRemedy?: string | undefined;
      readonly errors?: readonly SettingsError[];
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.fileRemedy = options.fileRemedy;
    this.errors = options.errors ?? [];
  }
}

/** Throws one error that names all invalid settings, each on its own line; does nothing if there are none. */
export function throwSettingsErrors(errors: readonly SettingsError[]): void {
  const [first, ...others] = errors;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const lines = errors.map(({ message, fileRemedy }) =>
    fileRemedy === undefined ? message : `${message} ${fileRemedy}`,
  );
  throw new SettingsError(lines.join('\n'), { errors });
}
