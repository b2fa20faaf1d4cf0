import { Agent, OpenAIProvider, Runner, tool, type AgentInputItem } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { waitForRequests } from '../../setup/server/instances.ts';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { picture } from '../../setup/models/picture.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const question = 'What is the capital of France?';

describe.each([true, false])('@openai/agents with Responses: %s', (useResponses) => {
  const runner = (): Runner =>
    new Runner({
      tracingDisabled: true,
      modelSettings: { temperature: 0 },
      modelProvider: new OpenAIProvider({
        apiKey: 'any',
        baseURL: `${hearth.url}/v1`,
        useResponses,
      }),
    });
  const agent = new Agent({ name: 'Tim', model: 'hearth/starter-chat' });

  it('chats, whole and streamed, with usage', async () => {
    const whole = await runner().run(agent, question);
    expect(whole.finalOutput).toContain('Paris');
    expect(whole.runContext.usage.outputTokens).toBeGreaterThan(0);
    const running = await runner().run(agent, question, { stream: true });
    let text = '';
    for await (const part of running.toTextStream()) text += part;
    expect(text).toBe(whole.finalOutput);
  });

  it('runs a tool and answers from its result', async () => {
    const getTide = tool({
      name: 'get_tide',
      description: 'Tide of a harbour',
      parameters: z.object({ harbour: z.string() }),
      execute: ({ harbour }) => `{"harbour": "${harbour}", "tide": "high"}`,
    });
    const result = await runner().run(agent.clone({ tools: [getTide] }), 'Get the tide of Brest');
    expect(result.finalOutput).toContain('high');
  });

  it('gives structured output', async () => {
    const outputType = z.object({ answer: z.int() });
    const structured = new Agent({ name: 'Tim', model: 'hearth/starter-chat', outputType });
    const result = await runner().run(structured, 'What is 2 + 3?');
    expect(result.finalOutput).toEqual({ answer: expect.any(Number) });
  });

  it('shows a picture', async () => {
    const input: AgentInputItem[] = [
      {
        role: 'user',
        content: [
          { type: 'input_image', image: await picture('red') },
          { type: 'input_text', text: 'What colour is the picture?' },
        ],
      },
    ];
    const result = await runner().run(agent.clone({ model: 'hearth/starter-vision' }), input);
    expect(result.finalOutput).toMatch(/red/i);
  });

  it('throws the errors of the server, also for a long context', async () => {
    const missing = runner().run(agent.clone({ model: 'nobody/nothing' }), question);
    await expect(missing).rejects.toMatchObject({ status: 404 });
    const tooLong = runner().run(agent, 'word '.repeat(20_000));
    await expect(tooLong).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });

  it('stops the generation when it is aborted midway', async () => {
    const controller = new AbortController();
    const running = await runner().run(agent.clone({ model: endlessModel }), question, {
      stream: true,
      signal: controller.signal,
    });
    for await (const part of running.toTextStream()) {
      expect(part).toEqual(expect.any(String));
      await waitForRequests(hearth.url, endlessModel, 1);
      controller.abort();
    }
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
