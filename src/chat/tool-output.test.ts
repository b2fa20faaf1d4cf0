import { expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { ImageAllowance } from './image-allowance.ts';
import { decodeToolImage, toModelContent } from './tool-results.ts';

it('stops among the images of a result when the caller aborts', async () => {
  const data = (await picture('red')).split(',')[1];
  const image = { type: 'image', mimeType: 'image/png', data };
  const gone = new AbortController();
  const model = modelEntry({ type: 'vlm' });
  const options = {
    model,
    allowance: new ImageAllowance(model, 1_000_000),
    store: await temporaryStore(),
    signal: gone.signal,
  };
  const reading = toModelContent([image, image], (block) => decodeToolImage(block, options));
  const reason = new Error('gone');
  gone.abort(reason);
  await expect(reading).rejects.toBe(reason);
});
