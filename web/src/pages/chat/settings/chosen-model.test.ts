import { describe, expect, it } from 'vitest';
import { chosenModel } from './chosen-model.ts';

const starter = { key: 'hearth/starter-chat', publisher: 'hearth' };
const vision = { key: 'hearth/starter-vision', publisher: 'hearth' };
const real = { key: 'acme/eight', publisher: 'acme' };
const other = { key: 'acme/four', publisher: 'acme' };

describe('chosenModel', () => {
  it('keeps the wanted model', () => {
    expect(chosenModel([real, other], other.key, false)).toBe(other.key);
    expect(chosenModel([starter, vision], vision.key, false)).toBe(vision.key);
  });

  it('replaces a starter once there is another model, unless the user prefers it', () => {
    expect(chosenModel([real, starter], starter.key, false)).toBe(real.key);
    expect(chosenModel([real, starter], starter.key, true)).toBe(starter.key);
  });

  it('takes the first model for one that is gone, and the wanted one while the list is empty', () => {
    expect(chosenModel([real, starter], 'acme/gone', false)).toBe(real.key);
    expect(chosenModel([], 'acme/gone', false)).toBe('acme/gone');
    expect(chosenModel([], undefined, false)).toBeUndefined();
  });
});
