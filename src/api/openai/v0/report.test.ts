import { expect, it } from 'vitest';
import { modelSelection } from '../../../../test/setup/models/model-entry.ts';
import type { GenerationSummary } from '../../../chat/turn-event.ts';
import { toReport } from './report.ts';

const { model, variant } = modelSelection();

function summary(drafts?: GenerationSummary['usage']['drafts']): GenerationSummary {
  return {
    selection: { model, variant },
    capabilities: {
      runtimeName: 'llama.cpp-linux-x64-cpu',
      runtimeVersion: 'b1',
      supportedFormats: ['gguf'],
      contextLength: 2048,
    },
    instanceId: model.key,
    stopReason: 'eosFound',
    isMalformed: false,
    usage: {
      promptTokens: 3,
      cachedTokens: 0,
      completionTokens: 5,
      reasoningTokens: 0,
      ...(drafts === undefined ? {} : { drafts }),
    },
    timings: { timeToFirstTokenSeconds: 1, generationSeconds: 2, tokensPerSecond: 2.5 },
  };
}

it('counts drafted tokens of all choices, where there were any', () => {
  expect(toReport([summary()]).stats).not.toHaveProperty('total_draft_tokens_count');
  const drafted = summary({ proposedTokens: 6, acceptedTokens: 4 });
  expect(toReport([drafted, summary(), drafted]).stats).toMatchObject({
    total_draft_tokens_count: 12,
    accepted_draft_tokens_count: 8,
    rejected_draft_tokens_count: 4,
  });
});
