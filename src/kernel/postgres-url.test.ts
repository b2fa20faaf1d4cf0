import { expect, it } from 'vitest';
import { isPostgresUrl, withoutPassword } from './postgres-url.ts';

it.each([
  ['postgres://db/hearth', true],
  ['postgresql:///hearth?host=/run/postgresql', true],
  ['hearth.db', false],
  ['/data/postgres://x', false],
  ['POSTGRES://db', false],
])('tells whether %j is a database of PostgreSQL', (url, expected) => {
  expect(isPostgresUrl(url)).toBe(expected);
});

it.each([
  ['postgres://me:geheim@db:5432/hearth', 'postgres://***@db:5432/hearth'],
  ['postgres://me:ge@heim@db/hearth', 'postgres://***@db/hearth'],
  ['postgres:///hearth?user=me&password=geheim', 'postgres:///hearth?user=me&password=***'],
  [
    'postgres:///hearth?PASSWORD=geheim&sslmode=require',
    'postgres:///hearth?PASSWORD=***&sslmode=require',
  ],
  ['postgres://db/hearth', 'postgres://db/hearth'],
  ['/home/me@work/hearth.db', '/home/me@work/hearth.db'],
])('shows %s without its password', (url, expected) => {
  expect(withoutPassword(url)).toBe(expected);
});
