import { nextSteps } from '../texts/next-steps.ts';

/** The message of an error of the server, with what can be done about it. */
export function errorText(error: {
  readonly message: string;
  readonly code?: string | null | undefined;
}): string {
  const step = nextSteps[error.code ?? ''];
  if (step === undefined) return error.message;
  return `${error.message.replace(/([^.!?])$/, '$1.')} ${step}`;
}
