import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { fetchImages, type FetchImage } from './message-media.ts';
import type { TurnContent, TurnMessage } from './turn-request.ts';

const vision = modelEntry({ type: 'vlm' });
const never = new AbortController().signal;
const image = (url: string): TurnContent => ({ type: 'image', url });
const look = (...content: TurnContent[]): TurnMessage => ({ role: 'user', content });

function recordingFetch(bytes: number) {
  const calls: { url: string; field: string; maxBytes: number }[] = [];
  const fetchImage: FetchImage = async (url, { field, maxBytes }) => {
    calls.push({ url, field, maxBytes });
    return Buffer.alloc(bytes);
  };
  return { calls, fetchImage };
}

describe('images by URL', () => {
  it('become data URLs, each address once', async () => {
    const { calls, fetchImage } = recordingFetch(3);
    const text: TurnContent = { type: 'text', text: 'http://not.an.image/' };
    const messages = [look(text, image('http://a/1')), look(image('data:,'), image('http://a/1'))];
    const remote = image('data:image/remote;base64,AAAA');
    expect(await fetchImages(messages, vision, fetchImage, never)).toEqual([
      look(text, remote),
      look(image('data:,'), remote),
    ]);
    const maxBytes = 32 * 1024 * 1024;
    expect(calls).toEqual([{ url: 'http://a/1', field: 'messages[0].content[1]', maxBytes }]);
  });

  it('need no model where they are only stored', async () => {
    const { fetchImage } = recordingFetch(3);
    expect(await fetchImages([look(image('http://a/1'))], undefined, fetchImage, never)).toEqual([
      look(image('data:image/remote;base64,AAAA')),
    ]);
  });

  it('share the bytes that a request may have', async () => {
    const { calls, fetchImage } = recordingFetch(1024 * 1024);
    const messages = [look(image('HTTPS://a/1'), image('https://a/2'))];
    await fetchImages(messages, vision, fetchImage, never);
    expect(calls.map(({ maxBytes }) => maxBytes / 1024 / 1024)).toEqual([32, 31]);
  });

  it('are limited in number, and need a model that sees', async () => {
    const { calls, fetchImage } = recordingFetch(1);
    const many = Array.from({ length: 21 }, (_, index) => image(`http://a/${index}`));
    await expect(fetchImages([look(...many)], vision, fetchImage, never)).rejects.toMatchObject({
      code: 'invalid_image',
      field: 'messages[0].content[20]',
      message: 'A request may name at most 20 images by URL.',
    });
    expect(calls).toHaveLength(20);
    await expect(
      fetchImages([look(...many)], modelEntry(), fetchImage, never),
    ).rejects.toMatchObject({ code: 'vision_unsupported', field: 'messages[0].content[0]' });
    expect(calls).toHaveLength(20);
  });
});
