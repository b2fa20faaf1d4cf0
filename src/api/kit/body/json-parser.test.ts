import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundleScript } from '../../../../test/setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { JsonParser } from './json-parser.ts';

const folder = useTemporaryFolder();
let script: string;
beforeAll(async () => {
  script = await bundleScript('src/api/kit/body/json-thread-main.ts', folder.path);
});

function openParser(): JsonParser {
  const parser = new JsonParser(script);
  onTestFinished(() => parser.close());
  return parser;
}

const long = 'ü"\\\n'.repeat(500_000);

it.each(['short', long])('parses a body', async (text) => {
  const body = { text, list: [1, null, { deep: true }] };
  expect(await openParser().parse([Buffer.from(JSON.stringify(body))])).toEqual(body);
});

it('parses a part of a larger buffer, which stays', async () => {
  const whole = Buffer.from(`[]${JSON.stringify(long)}`);
  expect(await openParser().parse([whole.subarray(2, 3), whole.subarray(3)])).toBe(long);
  expect(whole.subarray(0, 2).toString()).toBe('[]');
});

it('refuses a long body with the errors of a short one', async () => {
  const parser = openParser();
  const refusal = async (bytes: Buffer) => parser.parse([bytes]).catch((error: unknown) => error);
  const blanks = Buffer.alloc(2 * 1024 * 1024, ' ');
  const expected = { name: 'HearthError', code: 'invalid_json' };
  expect(await refusal(Buffer.from('{'))).toMatchObject(expected);
  expect(await refusal(Buffer.concat([Buffer.from('{'), blanks]))).toMatchObject(expected);
  expect(await refusal(Buffer.concat([Buffer.from([0xff]), blanks]))).toMatchObject({
    message: 'The body is not JSON: it is not UTF-8.',
  });
});
