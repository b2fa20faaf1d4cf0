/** An invalid setting; the message names the key, its source and the allowed values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** Whether the value comes from the command line. */
  readonly isFromFlag: boolean;
  /** How to correct `config.json`, if that is where the error is. */
  readonly fileRemedy: string | undefined;

  constructor(
    message: string,
    options: {
      readonly cause?: unknown;
      readonly isFromFlag?: boolean;
      readonly fileRemedy?: string | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.isFromFlag = options.isFromFlag ?? false;
    this.fileRemedy = options.fileRemedy;
  }
}
