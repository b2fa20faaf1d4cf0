import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createTokenService } from '../token-service.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { keyFingerprint } from '../../platform/net/pinned-key.ts';
import { formatLinkCode, isCodeOf, newLinkCode, parseLinkCode } from './link-code.ts';
import { openLinkIdentity } from './link-identity.ts';
import { LinkFile } from './link-file.ts';
import { LinkOffers } from './link-offers.ts';
import { Links } from './links.ts';

const fingerprint = 'SHA256:u+yhVKf4xaIVWfFkiKcEs+vVQMNRelhQdDSUq5WpKWs';

it('reads codes as people type them', () => {
  const code = newLinkCode(fingerprint);
  const text = formatLinkCode(code);
  expect(text).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]{5}$/u);
  const typed = ` ${text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`;
  expect(parseLinkCode(typed)).toEqual(code);
  expect(newLinkCode(fingerprint).secret).not.toBe(code.secret);
});

it.each(['', 'hello', 'U'.repeat(30), 'A'.repeat(29), 'A'.repeat(31), 'Ä'.repeat(30)])(
  'knows that %j is not a code',
  (text) => {
    expect(parseLinkCode(text)).toBeUndefined();
  },
);

it('binds a code to 75 bits of the key', () => {
  const code = newLinkCode(fingerprint);
  expect(isCodeOf(code, fingerprint)).toBe(true);
  fc.assert(
    fc.property(fc.nat(74), (bit) => {
      const hash = Buffer.from(fingerprint.slice(7), 'base64');
      hash[bit >> 3] = (hash[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
      return !isCodeOf(code, `SHA256:${hash.toString('base64')}`);
    }),
  );
});

it('accepts a code once, within ten minutes, and the ten newest', () => {
  let now = 0;
  const offers = new LinkOffers(() => now);
  const secretOf = ({ code }: { readonly code: string }) => parseLinkCode(code)?.secret ?? '';
  const [first, second] = [offers.create(fingerprint), offers.create(fingerprint)];
  expect(first.expiresAt).toEqual(new Date(600_000));
  expect(offers.take('unknown')).toBe(false);
  expect(offers.take(secretOf(first))).toBe(true);
  expect(offers.take(secretOf(first))).toBe(false);
  now = 600_000;
  expect(offers.openMs).toBe(0);
  expect(offers.take(secretOf(second))).toBe(false);
  const many = Array.from({ length: 11 }, () => secretOf(offers.create(fingerprint)));
  expect(many.map((secret) => offers.take(secret))).toEqual([false, ...Array(10).fill(true)]);
});

it('keeps the key of a machine, whose certificate is valid', async () => {
  const file = join(await temporaryFolder(), 'link-key.pem');
  const first = await openLinkIdentity(file);
  const again = await openLinkIdentity(file);
  expect(again.fingerprint).toBe(first.fingerprint);
  const certificate = new X509Certificate(first.cert);
  expect(keyFingerprint(certificate)).toBe(first.fingerprint);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.subject).toBe('CN=Hearth');
  expect(new Date(certificate.validTo).getUTCFullYear()).toBe(9999);
});

it('names machines that link at the same time apart', async () => {
  const folder = await temporaryFolder();
  const store = await temporaryStore();
  const logger = createLogger('silent');
  const links = new Links({
    store,
    logger,
    file: await LinkFile.open(join(folder, 'links.json'), logger),
    openIdentity: () => openLinkIdentity(join(folder, 'link-key.pem')),
    host: () => undefined,
    upstreams: { names: [], add: () => {}, remove: async () => {}, check: async () => 0 },
    tokens: createTokenService({ tokens: store.tokens, onTouchError: () => {} }),
    unload: async () => {},
  });
  await links.start(async () => ({ port: 1, close: async () => {} }));
  const secrets = [await links.offer(), await links.offer()].map(
    ({ code }) => parseLinkCode(code)?.secret ?? '',
  );
  await Promise.all(secrets.map((secret) => links.accept(secret, 'box')));
  const { from } = await links.list();
  expect(from.map(({ name }) => name)).toEqual(['box', 'box-2']);
  await links.close();
});
