import { expect, it } from 'vitest';
import { collect } from '../../../../test/setup/collect.ts';
import {
  failureOf,
  openUpstream,
  serveUpstream,
  upstreamChat,
} from '../../../../test/setup/engine/open-upstream.ts';
import { sendJson } from '../../../../test/setup/net/loopback-server.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import { readLinkedModels } from './linked-models.ts';

const model = {
  key: 'test/small',
  type: 'llm',
  publisher: 'test',
  display_name: 'small',
  params_string: null,
  quantization: { name: 'Q8_0', bits_per_weight: 8.5 },
  size_bytes: 7,
  max_context_length: 4096,
  variant_ids: ['q8_0', 'q4_0'],
  standing: 'gpu',
};

it('reads the models of a linked machine', () => {
  const capabilities = { vision: true, trained_for_tool_use: true };
  const [listed] = readLinkedModels({ models: [{ ...model, capabilities, later: 1 }] });
  expect(listed).toMatchObject({ id: 'test/small', type: 'vlm', contextLength: 4096 });
  expect(listed?.linked).toMatchObject({ isTrainedForToolUse: true, reasoning: null });
  expect(listed?.linked.variants).toMatchObject([
    { id: 'q8_0', path: 'test/small@q8_0', sizeBytes: 7 },
    { id: 'q4_0', path: 'test/small@q4_0', sizeBytes: 0, quantization: null },
  ]);
});

it.each([
  { type: 'of a later version' },
  { key: '\u001B[2Jtest/small' },
  { key: '' },
  { display_name: 'x'.repeat(1000) },
  { variant_ids: [] },
  { max_context_length: -1 },
  { standing: 'best' },
])('leaves out a model with %j', (change) => {
  expect(readLinkedModels({ models: [{ ...model, ...change }, model] })).toHaveLength(1);
});

it('refuses what is not a list', () => {
  expect(() => readLinkedModels({ models: 'many' })).toThrow(/models/u);
});

it('knows what a machine can do, until a request fails', async () => {
  let isThere = true;
  const server = await serveUpstream(({ path }, response) => {
    if (!isThere) response.destroy();
    else if (path === '/api/v1/links/models') sendJson(response, { models: [model] });
    else sendJson(response, { error: { message: 'no' } }, 401);
  });
  const { engine, upstreams } = openUpstream([server.url], { kind: 'hearth' });
  const ask = () => failureOf(collect(engine.generate(upstreamChat, testContext())));
  expect(await upstreams.standing('lab', 'test/small')).toBe('gpu');
  expect(await upstreams.standing('lab', 'test/other')).toBeUndefined();
  expect(await upstreams.standing('nowhere', 'test/small')).toBeUndefined();
  expect(await upstreams.check('lab')).toBe(1);
  const refused = {
    code: 'upstream_error',
    message: expect.stringContaining('hearth link rm lab'),
  };
  expect(await ask()).toMatchObject(refused);
  expect(await upstreams.standing('lab', 'test/small')).toBe('gpu');
  isThere = false;
  await ask();
  expect(await upstreams.standing('lab', 'test/small')).toBeUndefined();
  isThere = true;
  expect(await upstreams.standing('lab', 'test/small')).toBe('gpu');
});
