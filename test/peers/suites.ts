import { anthropicMessages, ollamaAnthropic } from './anthropic.cases.ts';
import { liteLlm } from './litellm.cases.ts';
import { openAiChat } from './openai-chat.cases.ts';
import { openAiParse } from './openai-parse.cases.ts';
import { openAiResponses } from './openai-responses.cases.ts';
import { openAiOther } from './openai.cases.ts';
import { vllmCompletion, vllmEmbedding } from './vllm-completion.cases.ts';
import { vllmChat } from './vllm.cases.ts';
import { llamaAnthropic } from './llama-anthropic.cases.ts';
import { llamaChat } from './llama-chat.cases.ts';
import { llamaCompletion, llamaContext } from './llama-completion.cases.ts';
import { llamaEmbedding, llamaRerank } from './llama-embedding.cases.ts';
import { llamaFormat } from './llama-format.cases.ts';
import {
  llamaBasic,
  llamaMetrics,
  llamaOther,
  llamaSecurity,
  llamaTokenize,
  llamaVision,
} from './llama-server.cases.ts';
import { llamaMessages } from './llama-messages.cases.ts';
import { ollamaChat } from './ollama-chat.cases.ts';
import { ollamaEmbed, ollamaTypes } from './ollama-embed.cases.ts';
import { ollamaGenerate } from './ollama-generate.cases.ts';
import { ollamaRoutes } from './ollama-models.cases.ts';
import type { PeerSuite } from './peer-case.ts';

/** All cases, in the order of `docs/contributing/peers.md`. */
export const peerSuites: readonly PeerSuite[] = [
  llamaChat,
  llamaFormat,
  llamaCompletion,
  llamaContext,
  llamaBasic,
  llamaTokenize,
  llamaOther,
  llamaSecurity,
  llamaVision,
  llamaEmbedding,
  llamaRerank,
  llamaMetrics,
  llamaAnthropic,
  llamaMessages,
  ollamaGenerate,
  ollamaChat,
  ollamaRoutes,
  ollamaTypes,
  ollamaEmbed,
  ollamaAnthropic,
  vllmChat,
  vllmCompletion,
  vllmEmbedding,
  liteLlm,
  openAiChat,
  openAiParse,
  openAiResponses,
  openAiOther,
  anthropicMessages,
];
