import { errorTable } from '../../contract/errors.ts';

/** `docs/errors.md`: all errors, in the order of the table. */
export function errorReference(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, type, retryable, when }]) =>
      `| ${status} | \`${type}\` | \`${code}\` | ${retryable ? 'yes' : 'no'} | ${when} |`,
  );
  return [
    '# Error reference',
    '',
    'Generated from `src/contract/errors.ts` by `npm run generate`.',
    '',
    'An error body is `{"error": {"type", "message", "code", "param"?}}`. `param` is the JSON path of the field at fault,',
    'and the message names the invalid value and what is allowed. In v0 all four fields are present; `param` is null if no',
    'field is at fault. An error that occurs before a stream starts has its HTTP status; a later one is an event of the',
    'stream. Every response has an `X-Request-Id` header, and the server writes this id with each log line of the request.',
    '',
    'A request that failed with a retryable error may succeed later without a change.',
    '',
    '| status | type | code | retryable | when |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
