import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkContent } from './guards.ts';

const json = 'application/json';
const check = (
  method: string,
  contentType?: string,
  headers: Readonly<Record<string, string>> = {},
  rule: Partial<Parameters<typeof checkContent>[1]> = {},
) => {
  const all = new Headers(headers);
  if (contentType !== undefined) all.set('content-type', contentType);
  const request = { header: (name: string) => all.get(name) ?? undefined };
  try {
    checkContent(request, { method, limitBytes: 1024, ...rule });
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('the type of a body', () => {
  it.each(['POST', 'PUT', 'PATCH'])('must be JSON for %s', (method) => {
    expect(check(method, json)).toBeUndefined();
    expect(check(method, 'text/plain')).toMatchObject({
      code: 'unsupported_media_type',
      message: 'The Content-Type is "text/plain"; it must be application/json.',
    });
  });

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])('does not matter for %s', (method) => {
    expect(check(method, 'text/plain', { 'content-length': '5' })).toBeUndefined();
  });

  it.each(['utf8', 'utf-8', '"utf8"', 'UTF8'])('may name the charset %s', (charset) => {
    expect(check('POST', `${json}; charset=${charset}`)).toBeUndefined();
  });

  it('may be missing where there is no body', () => {
    expect(check('POST')).toBeUndefined();
    expect(check('POST', undefined, { 'content-length': '0' })).toBeUndefined();
    const missing = { message: 'The Content-Type is missing; it must be application/json.' };
    expect(check('POST', undefined, { 'content-length': '1' })).toMatchObject(missing);
    expect(check('POST', undefined, { 'transfer-encoding': 'chunked' })).toMatchObject(missing);
  });

  it.each([undefined, 'application/octet-stream', 'application/x-www-form-urlencoded'])(
    'may be %s, as programs send it without being told, where that is allowed',
    (undeclared) => {
      const sized = { 'content-length': '1' };
      expect(check('POST', undeclared, sized, { allowsUndeclared: true })).toBeUndefined();
      expect(check('POST', undeclared, sized)).toBeDefined();
      expect(check('POST', undeclared, sized, { allowsUndeclared: false })).toBeDefined();
      const page = { ...sized, origin: 'http://127.0.0.1:1234' };
      expect(check('POST', undeclared, page, { allowsUndeclared: true })).toBeDefined();
    },
  );

  it('may not be another one that pages send without a preflight request', () => {
    expect(check('POST', 'text/plain', {}, { allowsUndeclared: true })).toBeDefined();
  });

  it('must be that of the upload which an endpoint takes', () => {
    const upload = { contentType: 'multipart/form-data', fields: z.object({}) } as const;
    expect(check('POST', 'Multipart/Form-Data ; boundary=x', {}, { upload })).toBeUndefined();
    expect(check('POST', upload.contentType, {}, { upload })).toBeUndefined();
    for (const [type, shown] of [
      [json, `"${json}"`],
      [undefined, 'missing'],
    ] as const) {
      expect(check('POST', type, {}, { upload })).toMatchObject({
        code: 'unsupported_media_type',
        message: `The Content-Type is ${shown}; it must be multipart/form-data.`,
      });
    }
  });

  it('may be any of a program where the endpoint takes any type, but not of a page', () => {
    const upload = { contentType: 'application/octet-stream', takesAnyType: true } as const;
    for (const type of [json, undefined, 'application/octet-stream']) {
      expect(check('POST', type, {}, { upload })).toBeUndefined();
    }
    const page = { origin: 'https://example.com' };
    expect(check('POST', 'text/plain', page, { upload })).toBeDefined();
  });

  it('is checked where there is no body, too', () => {
    expect(check('POST', 'text/plain', { 'content-length': '0' })).toBeDefined();
  });
});

describe('the encoding of a body', () => {
  it.each(['gzip', 'deflate, br', 'X-Unknown'])('must not be %s', (encoding) => {
    const headers = { 'content-encoding': encoding, 'content-length': '5' };
    for (const rule of [
      {},
      { allowsUndeclared: true },
      { upload: { contentType: 'multipart/form-data', fields: z.object({}) } },
    ] as const) {
      expect(check('POST', json, headers, rule)).toMatchObject({
        code: 'unsupported_media_type',
        message: `The Content-Encoding is "${encoding}"; the body must not be compressed.`,
      });
    }
  });

  it('may be identity', () => {
    expect(check('POST', json, { 'content-encoding': 'Identity' })).toBeUndefined();
  });
});

describe('sizes', () => {
  it('takes a body of exactly the limit, and none that is a byte longer', () => {
    expect(check('POST', json, { 'content-length': '1024' })).toBeUndefined();
    expect(check('POST', json)).toBeUndefined();
    expect(check('POST', json, { 'content-length': '1025' })).toMatchObject({
      code: 'body_too_large',
      message: 'The body has 1025 bytes; at most 1024 are allowed (`limits.bodyBytes`).',
    });
  });
});
