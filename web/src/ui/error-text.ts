import { texts } from '../texts/texts.ts';

/** Advice for server errors, by error code. */
const nextSteps: Readonly<Record<string, string>> = texts.nextSteps;

/** The message of a server error, with advice. */
export function errorText(error: {
  readonly message: string;
  readonly code?: string | null | undefined;
}): string {
  const step = nextSteps[error.code ?? ''];
  if (step === undefined) return error.message;
  return `${error.message.replace(/([^.!?])$/, '$1.')} ${step}`;
}
