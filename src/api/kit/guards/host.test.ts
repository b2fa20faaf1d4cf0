import { expect, it } from 'vitest';
import { createHostGuard } from './host.ts';

const checkHost = createHostGuard({ boundHost: '127.0.0.1', allowedHosts: [] });

it('says which host it does not serve', () => {
  expect(checkHost('attacker.example:80')).toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(
      /^The host "attacker\.example:80" is not served here\. Use .*`server\.allowedHosts`\.$/,
    ) as string,
  });
});

it.each(['a[::1]', '[::1]a', ':[:1]', '[::]1', 'a[127.0.0.1]', '[127.0.0.1]a'])(
  'takes %s for no address of loopback',
  (authority) => {
    expect(checkHost(authority)).toMatchObject({ code: 'forbidden' });
  },
);

it('serves the host of the public URL', () => {
  const check = createHostGuard({
    boundHost: '127.0.0.1',
    allowedHosts: [],
    publicUrl: 'https://Hearth.example:8443/',
  });
  expect(check('hearth.example:8443')).toBeUndefined();
  expect(check('hearth.example:80')).toMatchObject({ code: 'forbidden' });
});
