import * as z from 'zod';
import { parseJson } from '../kernel/parse-json.ts';
import { integer, text } from './setting-kinds.ts';

/** Kinds of remote servers, whose APIs differ in details. */
const upstreamKinds = ['openai', 'vllm', 'sglang', 'llama-server', 'ollama'] as const;
const upstreamsAllowed =
  'It must be an object of servers by name (lower-case letters, digits, ".", "_" and "-"), such as {"lab": {"url": "http://lab:8000/v1", "kind": "vllm"}}; see docs/remote-engines.md.';
const upstreamUrl = z.url({ protocol: /^https?$/, error: upstreamsAllowed });
const upstream = z.strictObject(
  {
    url: z.union([upstreamUrl, z.array(upstreamUrl).min(1, upstreamsAllowed)], upstreamsAllowed),
    kind: z.enum(upstreamKinds, upstreamsAllowed).default('openai'),
    speech: text.optional(),
    keyEnv: text.optional(),
    keyFile: text.optional(),
    sessionHeader: z
      .string(upstreamsAllowed)
      .regex(/^[A-Za-z0-9-]{1,64}$/u, upstreamsAllowed)
      .optional(),
    maxConcurrent: integer(1, 100_000).default(64),
    timeoutSeconds: integer(1, 86_400).default(300),
    models: z
      .record(
        z.string().min(1),
        z.strictObject(
          {
            alias: text.optional(),
            type: z.enum(['llm', 'vlm', 'embeddings', 'reranker'], upstreamsAllowed).optional(),
            contextLength: integer(1, 2 ** 31 - 1).optional(),
            reasoning: z.boolean(upstreamsAllowed).optional(),
            audio: z.boolean(upstreamsAllowed).optional(),
          },
          upstreamsAllowed,
        ),
        upstreamsAllowed,
      )
      .optional(),
  },
  upstreamsAllowed,
);
export const upstreams = z
  .union([z.record(z.string(), z.unknown()), z.string().transform(parseJson)], upstreamsAllowed)
  .pipe(z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/), upstream, upstreamsAllowed));
