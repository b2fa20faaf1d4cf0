import { describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { picture } from '../setup/models/picture.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const red = Buffer.from((await picture('red')).split(',')[1] ?? '', 'base64');
const host = useResource(() =>
  startLoopbackServer(({ path }, response) => {
    if (path === '/red') response.writeHead(200, { 'content-type': 'text/plain' }).end(red);
    else response.writeHead(200, { 'content-type': 'image/png' }).end('<html>secret</html>');
  }),
);
const hearth = useHearth(() => ({
  flags: ['--images-url-hosts', `*,${new URL(host.url).host}`],
}));

const model = 'hearth/starter-vision';
const question = 'What colour is the picture?';

const apis = [
  {
    path: '/v1/chat/completions',
    body: (url: string) => ({
      model,
      temperature: 0,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    }),
    param: 'messages[0].content[1]',
  },
  {
    path: '/v1/responses',
    body: (url: string) => ({
      model,
      temperature: 0,
      store: false,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: question },
            { type: 'input_image', image_url: url },
          ],
        },
      ],
    }),
    param: 'input',
  },
  {
    path: '/v1/messages',
    body: (url: string) => ({
      model,
      temperature: 0,
      max_tokens: 50,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image', source: { type: 'url', url } },
          ],
        },
      ],
    }),
    param: 'messages[0].content[1]',
  },
];

describe.each(apis)('an image by URL in $path', ({ path, body, param }) => {
  it('is what the model sees, whatever type its server names', async () => {
    const answer = await post(hearth.url, path, body(`${host.url}/red`));
    expect(JSON.stringify(answer.body)).toMatch(/\bred\b/i);
    expect(answer.status).toBe(200);
  });

  it('is refused if it is not an image, without telling what it is', async () => {
    const { status, body: failure } = await post(hearth.url, path, body(`${host.url}/page`));
    expect(status).toBe(400);
    expect(JSON.stringify(failure)).toContain("The image can't be read");
    expect(JSON.stringify(failure)).not.toContain('secret');
    expect(`${failure.error.param ?? failure.error.message}`).toContain(param);
  });

  // covers server-26
  it('is refused at the address of the server itself', async () => {
    const { status, body: failure } = await post(hearth.url, path, body(`${hearth.url}/metrics`));
    expect(status).toBe(400);
    expect(failure.error.message).toContain('is not at a public address');
  });
});
