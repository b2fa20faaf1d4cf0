import { expect, it } from 'vitest';
import type { SettingRecord } from '../../../../../src/api/v1/server/setting-schema.ts';
import { withTexts } from '../../../texts/load-texts.ts';

const { fromText, groupSettings, toText } = await withTexts(
  ['developer'],
  () => import('./setting-text.ts'),
)();

const setting = (fields: Partial<SettingRecord>): SettingRecord => ({
  key: 'models.ttlSeconds',
  description: 'Idle time.',
  type: 'integer',
  value: null,
  default: null,
  source: 'default',
  source_name: 'default',
  secret: false,
  live: true,
  restart_pending: false,
  ...fields,
});
const integer = setting({ minimum: 1, maximum: 1000 });

it('reads integers within their limits', () => {
  expect(fromText(integer, ' 600 ')).toEqual({ value: 600 });
  for (const text of ['0', '1001', '1.5', 'ten', '1e9']) {
    expect(fromText(integer, text)).toEqual({
      error: 'It must be a whole number from 1 to 1,000.',
    });
  }
});

it('takes an empty field for the default', () => {
  expect(fromText(integer, ' ')).toEqual({ value: null });
});

it('reads lists by line', () => {
  expect(fromText(setting({ type: 'list' }), 'a\n b \n')).toEqual({ value: ['a', 'b'] });
});

it('reads objects as JSON, and says what is wrong', () => {
  const object = setting({ type: 'object' });
  const upstreams = { lab: { url: 'http://lab:8000/v1', maxConcurrent: 4 } };
  expect(fromText(object, JSON.stringify(upstreams))).toEqual({ value: upstreams });
  expect(fromText(object, '{"lab": }')).toEqual({
    error: expect.stringMatching(/^It is not JSON: .+/),
  });
  for (const text of ['[]', 'null', '7', '"lab"']) {
    expect(fromText(object, text)).toEqual({
      error: 'It must be an object in JSON, with names and values.',
    });
  }
});

it.each([
  [null],
  [true],
  [7],
  ['text'],
  [['a', 'b']],
  [{ a: 'b' }],
  [{ lab: { url: 'u', models: { m: {} } } }],
])('shows %j so that it can be read again', (value) => {
  const types = { boolean: 'boolean', number: 'integer', string: 'string' } as const;
  const type =
    typeof value === 'object'
      ? Array.isArray(value)
        ? 'list'
        : 'object'
      : types[typeof value as 'string'];
  expect(fromText(setting({ type }), toText(value))).toEqual({ value });
});

it('groups by the first part of the key and filters', () => {
  const settings = [
    integer,
    setting({ key: 'models.jit', source: 'file' }),
    setting({ key: 'log.level', description: 'How much is logged.' }),
  ];
  const keys = (text: string, isChangedOnly = false) =>
    groupSettings(settings, { text, isChangedOnly }).map(([group, found]) => [
      group,
      ...found.map(({ key }) => key),
    ]);
  expect(keys('')).toEqual([
    ['models', 'models.ttlSeconds', 'models.jit'],
    ['log', 'log.level'],
  ]);
  expect(keys('LOGGED')).toEqual([['log', 'log.level']]);
  expect(keys('', true)).toEqual([['models', 'models.jit']]);
});
