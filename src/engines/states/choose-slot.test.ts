import { describe, expect, it } from 'vitest';
import { prefixHash, withAnswer, type CachedPrompt, type PrefixHash } from './prefix-hash.ts';
import { chooseSlot, type SlotView } from './slot-table.ts';

/** A prompt with a block of 256 characters and 64 tokens for each letter. */
function prefix(letters: string): PrefixHash {
  const prompt = letters
    .split('')
    .map((letter) => letter.repeat(256))
    .join('');
  return prefixHash(null, { kind: 'completion', prompt, sampling: {} });
}

function cached(letters: string): CachedPrompt {
  const tokens = letters.length * 64;
  return { ownerId: null, responseId: null, prefix: prefix(letters), tokens, heldTokens: tokens };
}

function slot(id: number, letters: string, more: Partial<SlotView> = {}): SlotView {
  const content = letters === '' ? undefined : cached(letters);
  return {
    id,
    content,
    lastUsed: id + 1,
    isSaved: false,
    isSavable: true,
    isReadFast: false,
    isCrowdedOut: false,
    ...more,
  };
}

const state = (letters: string) => ({ prompt: cached(letters), letters });

describe('chooseSlot', () => {
  it('continues the conversation of a slot and saves nothing', () => {
    const choice = chooseSlot([slot(0, ''), slot(1, 'abc')], [], prefix('abcd'));
    expect(choice).toMatchObject({ slotId: 1, saves: false, restores: undefined });
    expect(choice?.expectedTokens).toBe(192);
  });

  it('takes an empty slot for another prompt, then the least recently used one', () => {
    expect(chooseSlot([slot(0, 'abc'), slot(1, '')], [], prefix('xyz'))).toMatchObject({
      slotId: 1,
      saves: false,
    });
    const full = [slot(0, 'abc', { lastUsed: 9 }), slot(1, 'def', { lastUsed: 3 })];
    expect(chooseSlot(full, [], prefix('xyz'))).toMatchObject({ slotId: 1, saves: true });
  });

  it('reuses the slot that has the whole of a short prompt, which is sent again', () => {
    const request = (content: string) =>
      prefixHash(null, {
        kind: 'chat',
        messages: [{ role: 'user', content }],
        sampling: {},
      });
    const content = withAnswer(request('Tell me a story'), {
      content: 'Once upon a time, there was a fox.'.repeat(4),
      toolCalls: [],
    });
    const slots = [
      slot(0, ''),
      slot(1, 'a', { content: { ...cached('a'), prefix: content, tokens: 66, heldTokens: 66 } }),
    ];
    expect(chooseSlot(slots, [], request('Tell me a story'))?.slotId).toBe(1);
    expect(chooseSlot(slots, [], request('Tell me a joke'))?.slotId).toBe(0);
  });

  it.each([true, false])(
    'takes the slot that its content should leave rather than an empty one (read fast: %s)',
    (isReadFast) => {
      const crowdedOut = { isCrowdedOut: true, isReadFast };
      const slots = [slot(0, ''), slot(1, 'abc', crowdedOut), slot(2, 'def', crowdedOut)];
      expect(chooseSlot(slots, [], prefix('xyz'))).toMatchObject({ slotId: 1, saves: !isReadFast });
    },
  );

  it('takes a slot with a short content rather than an empty one, as its chat template has been read', () => {
    const short = { ...cached('a'), tokens: 40, heldTokens: 40 };
    const slots = [slot(0, ''), slot(1, 'a', { content: short }), slot(2, 'abc')];
    expect(chooseSlot(slots, [], prefix('xyz'))).toMatchObject({ slotId: 1, saves: false });
  });

  it('saves a slot before a branch overwrites the rest of its conversation', () => {
    const slots = [slot(0, 'abcdef')];
    expect(chooseSlot(slots, [], prefix('abx'))).toMatchObject({ slotId: 0, saves: true });
    const saved = [slot(0, 'abcdef', { isSaved: true })];
    expect(chooseSlot(saved, [], prefix('abx'))).toMatchObject({ slotId: 0, saves: false });
  });

  it('does not give up a conversation that cannot be saved for a short beginning', () => {
    const slots = [slot(0, 'abcdef', { isSavable: false }), slot(1, '')];
    expect(chooseSlot(slots, [], prefix('abx'))).toMatchObject({ slotId: 1, saves: false });
    expect(chooseSlot(slots, [], prefix('abcdex'))).toMatchObject({ slotId: 0, saves: false });
  });

  it('restores the state with the longest common beginning if it saves more than a slot', () => {
    const slots = [slot(0, 'axy'), slot(1, 'qrs')];
    const states = [state('ab'), state('abcd'), state('abcdef')];
    const choice = chooseSlot(slots, states, prefix('abcdz'));
    expect(choice?.restores?.letters).toBe('abcd');
    expect(choice).toMatchObject({ slotId: 0, saves: true, expectedTokens: 256 });
    expect(chooseSlot([slot(0, 'abcd')], states, prefix('abcdz'))?.restores).toBeUndefined();
  });

  it('restores into the slot with an earlier part of the conversation, without saving it', () => {
    const slots = [slot(0, 'ab', { lastUsed: 9 }), slot(1, 'qrs', { lastUsed: 1 })];
    expect(chooseSlot(slots, [state('abcd')], prefix('abcde'))).toMatchObject({
      slotId: 0,
      saves: false,
      restores: { letters: 'abcd' },
    });
  });

  it('prefers the first of equal states', () => {
    const states = [
      { ...state('abc'), place: 'memory' },
      { ...state('abc'), place: 'disk' },
    ];
    expect(chooseSlot([slot(0, '')], states, prefix('abcd'))?.restores?.place).toBe('memory');
  });

  it('finds nothing without slots', () => {
    expect(chooseSlot([], [state('abc')], prefix('abc'))).toBeUndefined();
  });
});
