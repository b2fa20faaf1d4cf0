import { describe, expect, it } from 'vitest';
import { readJsonBody } from './json-body.ts';
import { countJsonValues } from './json-size.ts';

describe('countJsonValues', () => {
  const count = (json: string, limit = 1000) => countJsonValues(Buffer.from(json), limit);

  it.each([
    ['1', 1],
    ['[]', 2],
    ['[1,2,3]', 4],
    ['{"a":1,"b":[]}', 4],
    ['"a,b,[c"', 1],
    [String.raw`"a\",["`, 1],
    [String.raw`["a\\",2]`, 3],
    [String.raw`["\\\\\",[[[[",2]`, 3],
    ['"', 1],
    ['', 1],
  ])('%s holds at most %d', (json, values) => {
    expect(count(json)).toBe(values);
  });

  it('stops beyond the limit', () => {
    expect(count('['.repeat(100), 10)).toBe(11);
  });
});

describe('readJsonBody', () => {
  const read = (body: string, limitBytes = 1_000_000, headers: Record<string, string> = {}) =>
    readJsonBody(new Request('http://localhost', { method: 'POST', body, headers }), limitBytes);

  it('reads a body', async () => {
    expect(await read('{"a":"ü"}')).toEqual({ a: 'ü' });
    expect(await read('{"a":1}', 1000, { 'Content-Length': '7' })).toEqual({ a: 1 });
    expect(await read('\uFEFF{"a":1}')).toEqual({ a: 1 });
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
    await expect(readJsonBody(request, 5000)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(pulled).toBeLessThan(10);
  });

  it('refuses a body of very many small values before they take memory', async () => {
    const body = `{"input":[${'[],'.repeat(300_000)}1]}`;
    await expect(read(body, 2_000_000)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('parses deep nesting without a stack overflow', async () => {
    const body = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await read(body)).toBeInstanceOf(Array);
  });
});
