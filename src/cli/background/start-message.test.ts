import { expect, it } from 'vitest';
import { formatStartMessage } from './start-message.ts';

const url = 'http://127.0.0.1:1234';
const addresses = ['192.168.1.5', '10.0.0.7'];

it('shows a request that needs no token on loopback', () => {
  const text = formatStartMessage(
    url,
    { host: '127.0.0.1', isTokenRequired: false },
    addresses,
    'linux',
  );
  expect(text).toContain(`curl ${url}/api/v1/chat -H 'Content-Type: application/json' -d `);
  expect(text).not.toMatch(/network|Authorization|token/);
});

it('shows the addresses on the network and the header', () => {
  const text = formatStartMessage(
    url,
    { host: '0.0.0.0', isTokenRequired: true },
    addresses,
    'linux',
  );
  expect(text).toContain('On your network: http://192.168.1.5:1234\n');
  expect(text).toContain('On your network: http://10.0.0.7:1234\n');
  expect(text).toContain('-H "Authorization: Bearer $HEARTH_TOKEN"');
  expect(text).toContain('hearth token create --name NAME');
  expect(text).not.toContain('Warning');
});

it('warns of access without a token', () => {
  const text = formatStartMessage(url, { host: '::', isTokenRequired: false }, addresses);
  expect(text).toContain('Warning: Anyone on your network can use this server without a token.');
});

it('shows a command without JSON on Windows, whose shells quote it differently', () => {
  const access = { host: '127.0.0.1', isTokenRequired: false };
  const text = formatStartMessage(url, access, addresses, 'win32');
  expect(text).toContain('Try it:\n  hearth chat hearth/starter-chat "Hello!"\n');
  expect(text).not.toContain('curl');
});
