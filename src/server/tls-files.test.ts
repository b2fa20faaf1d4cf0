import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectFolder } from '../../test/setup/project-folder.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openTlsFiles, type KeyPair } from './tls-files.ts';

const fixture = (name: string) => join(projectFolder, 'test/fixtures/tls', name);

let certFile: string;
let keyFile: string;
let changes: KeyPair[];
let logged: string[];
let close = (): void => {};

beforeEach(async () => {
  const folder = await temporaryFolder();
  certFile = join(folder, 'cert.pem');
  keyFile = join(folder, 'key.pem');
  await copyFile(fixture('first.cert.pem'), certFile);
  await copyFile(fixture('first.key.pem'), keyFile);
  changes = [];
  logged = [];
});
afterEach(() => close());

async function open() {
  const files = await openTlsFiles({
    certFile,
    keyFile,
    onChange: (pair) => void changes.push(pair),
    logger: createLogger('info', { write: (line) => logged.push(line) }),
  });
  close = () => files.close();
  return files;
}

it('reports a new pair once, and keeps the one before while the files do not fit', async () => {
  const files = await open();
  expect(files.first.fingerprint).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  await files.check();
  await copyFile(fixture('second.cert.pem'), certFile);
  await files.check();
  await files.check();
  expect(changes).toEqual([]);
  expect(logged).toEqual([expect.stringContaining('is not the key of the certificate')]);
  await copyFile(fixture('second.key.pem'), keyFile);
  await files.check();
  await files.check();
  expect(changes).toHaveLength(1);
  expect(changes[0]?.fingerprint).not.toBe(files.first.fingerprint);
  expect(logged.join('')).not.toContain('PRIVATE KEY');
});

it('keeps the pair when a file disappears', async () => {
  const files = await open();
  await rm(keyFile);
  await files.check();
  expect(changes).toEqual([]);
  expect(logged.join('')).toContain(`server.tls.key: ${keyFile} can't be read (ENOENT)`);
});

it.each([
  ['no certificate', () => writeFile(certFile, 'x'), /server\.tls\.cert: .* is not a certificate/],
  ['no key', () => writeFile(keyFile, ''), /server\.tls\.key: .* is not a private key/],
  ['no file', () => rm(certFile), /server\.tls\.cert: .* can't be read \(ENOENT\)/],
])('does not open with %s', async (_, spoil, message) => {
  await spoil();
  await expect(open()).rejects.toThrow(message);
});
