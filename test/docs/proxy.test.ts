import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNginxOfPage } from '../setup/net/nginx.ts';
import { openHearth } from '../setup/server/use-hearth.ts';

const hasNginx = await promisify(execFile)('nginx', ['-v']).then(
  () => true,
  () => false,
);

describe.runIf(hasNginx)('the configuration of nginx in docs/remote-access.md', () => {
  it('passes on streams, for the public host only', async () => {
    const hearth = await openHearth({ flags: ['--server-public-url=http://hearth.example.com'] });
    const proxy = await startNginxOfPage(hearth.url);
    onTestFinished(() => proxy.close());
    const post = (host: string) =>
      promisify(execFile)(
        'curl',
        [
          `--silent --header Host:${host} --header Content-Type:application/json --write-out %{http_code}`.split(
            ' ',
          ),
          [
            '--data',
            '{"model":"hearth/starter-chat","input":"Hi","stream":true}',
            `${proxy.url}/api/v1/chat`,
          ],
        ].flat(),
      );
    const { stdout } = await post('hearth.example.com');
    expect(stdout).toMatch(/^event: chat\.start\n[^]*event: chat\.end\n[^]*200$/);
    expect((await post('other.example.com')).stdout).toMatch(/403$/);
  });
});
