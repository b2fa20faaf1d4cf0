import { describe, expect, it } from 'vitest';
import { pickDefaultModel } from './choose-chat-model.ts';

const instances = [{ id: 'x', config: { context_length: 1 } }];
const loaded = (key: string) => ({ key, type: 'llm' as const, loaded_instances: instances });
const idle = (key: string) => ({ key, type: 'llm' as const, loaded_instances: [] });
const embedder = { key: 'e', type: 'embedding' as const, loaded_instances: instances };

describe('pickDefaultModel', () => {
  it('picks the only loaded language model', () => {
    expect(pickDefaultModel([idle('a'), loaded('b'), embedder])).toBe('b');
  });

  it.each([
    ['none', [idle('a'), embedder]],
    ['two', [loaded('a'), loaded('b')]],
  ])('picks the starter model if %s is loaded', (_, models) => {
    expect(pickDefaultModel(models)).toBe('hearth/starter-chat');
  });
});
