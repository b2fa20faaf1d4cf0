import { afterEach, describe, expect, it } from 'vitest';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { compareVersions, askNpm, readFeed } from './latest-release.ts';

const { signal } = new AbortController();

describe('versions', () => {
  const sorted = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ];
  it('have the order of semantic versioning', () => {
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  });
});

describe('the release feed', () => {
  let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
  afterEach(() => server?.close());
  const feedWith = async (body: unknown) => {
    server = await startLoopbackServer((_, response) => sendJson(response, body));
    return readFeed(`${server.url}/feed.json`, signal);
  };

  it('has a version and where to get it', async () => {
    const release = await feedWith({ version: '9.9.9', url: 'https://example.com/hearth' });
    expect(release).toEqual({
      version: '9.9.9',
      remedy: 'Download it from https://example.com/hearth',
    });
  });

  it.each([
    [{ version: 'latest', url: 'https://example.com' }],
    [{ version: '9.9.9', url: 'javascript:alert(1)' }],
    [{ version: '9.9.9; rm -rf /', url: 'https://example.com' }],
    [[]],
  ])('is refused: %j', async (body) => {
    await expect(feedWith(body)).rejects.toThrow(/The latest version is not known: .*--feed/);
  });

  it('that is unreachable is named', async () => {
    await expect(readFeed('http://127.0.0.1:9/feed.json', signal)).rejects.toThrow(
      /The latest version is not known: 127\.0\.0\.1:9: .*ECONNREFUSED/,
    );
  });
});

describe('npm', () => {
  const description = 'A local model server.';
  const answer = { name: 'hearth', version: '9.9.9', description, bin: { hearth: 'x.js' } };
  const ask = (output: string | Error) =>
    askNpm({ description, environment: {} }, signal, async () => {
      if (output instanceof Error) throw output;
      return output;
    });

  it('has the version of its registry', async () => {
    expect(await ask(JSON.stringify(answer))).toEqual({
      version: '9.9.9',
      remedy: 'Install it with `npm install -g hearth@9.9.9`',
    });
  });

  it('knows no other package of this name', async () => {
    const other = { ...answer, description: 'A game.' };
    await expect(ask(JSON.stringify(other))).rejects.toThrow(/another one of that name/);
    await expect(ask('')).rejects.toThrow(/no such package/);
  });

  it('says why it cannot be asked', async () => {
    await expect(ask(new Error('npm failed with ENOTFOUND'))).rejects.toThrow(
      /npm failed with ENOTFOUND\. Check the network/,
    );
  });
});
