import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { foldSeed } from '../../../engines/fold-seed.ts';
import { JsonParser, measureJson, parseJson, parseJsonBody, readJsonBody } from './json-body.ts';
import { bundleScript } from '../../../../test/setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';

describe('measureJson', () => {
  const measure = (json: string, valueCount = 1000, depth = 1000, fieldCount = 1000) =>
    measureJson(Buffer.from(json), { valueCount, fieldCount, depth });

  it.each([
    ['1', 1, 0],
    ['[]', 2, 1],
    ['[1,2,3]', 4, 1],
    ['{"a":1,"b":[[]]}', 5, 3],
    ['"a,b,[c"', 1, 0],
    [String.raw`"a\",["`, 1, 0],
    [String.raw`["a\\",2]`, 3, 1],
    [String.raw`["\\\\\",[[[[",2]`, 3, 1],
    ['[],[],[[]]', 7, 2],
    [`["${'a,['.repeat(50)}",2]`, 3, 1],
    [String.raw`["${'\\"'.repeat(50)},[",2]`, 3, 1],
    [`["${'a'.repeat(63)}${String.raw`\"`},[",2]`, 3, 1],
    [`["${'a'.repeat(62)}${String.raw`\"`},[",2]`, 3, 1],
    [`["${'\\'.repeat(100)}",2]`, 3, 1],
    [`["${'\\'.repeat(101)}",[[",2]`, 3, 1],
    ['"', 1, 0],
    ['', 1, 0],
  ])('%s holds at most %d values, %d deep', (json, valueCount, depth) => {
    expect(measure(json)).toMatchObject({ valueCount, depth });
  });

  it('counts fields, but not the colons of strings', () => {
    expect(measure('{"a:":1,"b":[{"c":":"}]}')).toMatchObject({ fieldCount: 3 });
  });

  it('stops beyond each limit', () => {
    expect(measure(','.repeat(100), 10)).toMatchObject({ valueCount: 11, depth: 0 });
    expect(measure('['.repeat(100), 1000, 10)).toMatchObject({ valueCount: 12, depth: 11 });
    expect(measure(':'.repeat(100), 1000, 1000, 10)).toMatchObject({ fieldCount: 11 });
  });
});

describe('readJsonBody', () => {
  const parse = async (pieces: readonly Uint8Array[]) => parseJsonBody(Buffer.concat(pieces));
  const read = (body: string, limitBytes = 1_000_000, headers: Record<string, string> = {}) =>
    readJsonBody(
      new Request('http://localhost', { method: 'POST', body, headers }),
      limitBytes,
      parse,
    );

  it('reads a body', async () => {
    expect(await read('{"a":"ü"}')).toEqual({ a: 'ü' });
    expect(await read('{"a":1}', 1000, { 'Content-Length': '7' })).toEqual({ a: 1 });
    expect(await read('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('refuses a body that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const request = new Request('http://localhost', { method: 'POST', body });
    await expect(readJsonBody(request, 1000, parse)).rejects.toMatchObject({
      code: 'invalid_json',
      message: 'The body is not JSON: it is not UTF-8.',
    });
  });

  it('stops reading beyond the limit', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' });
    await expect(readJsonBody(request, 5000, parse)).rejects.toMatchObject({
      code: 'body_too_large',
    });
    expect(pulled).toBeLessThan(10);
  });

  it('refuses a body of very many small values before they take memory', async () => {
    const body = `{"input":[${'[],'.repeat(300_000)}1]}`;
    await expect(read(body, 2_000_000)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('refuses a body of very many fields, each of which takes time', async () => {
    const fields = Array.from({ length: 50_000 }, (_, index) => `"${index}":0`);
    const refused = { code: 'body_too_large', message: expect.stringContaining('40000 fields') };
    await expect(read(`{${fields.join()}}`, 2_000_000)).rejects.toMatchObject(refused);
  });

  it('accepts nesting up to the limit, and refuses what is deeper', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(await read(nested(512))).toBeInstanceOf(Array);
    await expect(read(nested(513))).rejects.toMatchObject({ code: 'invalid_json' });
  });
});

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

it.each<[string, unknown]>([
  ['{"seed": 7, "a": [1.5]}', { seed: 7, a: [1.5] }],
  ['{"seed" :\n6129484611666145821}', { seed: foldSeed(6129484611666145821n) }],
  ['{"options":{"seed":-9223372036854775808}}', { options: { seed: foldSeed(-(2n ** 63n)) } }],
  ['{"seed": 1e300}', { seed: 1e300 }],
  ['{"seed": 6129484611666145821.5}', { seed: Number('6129484611666145821.5') }],
  ['{"tools":[{"seed":6129484611666145821}]}', { tools: [{ seed: 6129484611666146000 }] }],
  [
    String.raw`{"seed":6129484611666145821,"text":"{\"seed\":6129484611666145821}","x":{"a\"seed":61294846116661458}}`,
    {
      seed: foldSeed(6129484611666145821n),
      text: '{"seed":6129484611666145821}',
      x: { 'a"seed': 61294846116661460 },
    },
  ],
  ['[{"seed":6129484611666145821}]', [{ seed: 6129484611666146000 }]],
  ['null', null],
])('reads the seeds of %s', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
