import * as z from 'zod';
import { runTurn } from '../../../chat/run-turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { textSchema, tokenCountSchema } from '../../../kernel/field.ts';
import { collect } from '../../kit/stream/collect.ts';
import { createChat } from '../../v1/chat/chat-event-schema.ts';
import { chatRequestSchema, responseIdSchema } from '../../v1/chat/chat-schema.ts';
import { toTurnRequest } from '../../v1/chat/to-turn-request.ts';
import { defineTool } from '../tool.ts';

const { model, system_prompt, previous_response_id, temperature, reasoning, max_output_tokens } =
  chatRequestSchema.shape;

/** Runs a chat without tools. A chain of calls between models ends here, since the answering model can't call any. */
export const chatTool = defineTool({
  name: 'chat',
  title: 'Ask a local model',
  description:
    'Sends a message to a language model of this server and returns its answer. The model runs on the machine of the server, sees only this message and the conversation that it continues, and has no tools. `list_models` has the names of the models; one that is not loaded is loaded first.',
  permission: createChat.permission,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  input: z.strictObject({
    model: model.describe('Model of the type `llm`.'),
    input: textSchema.min(1).describe('The message.'),
    system_prompt,
    previous_response_id: previous_response_id.describe(
      'The `response_id` of the answer to continue from.',
    ),
    temporary: z
      .boolean()
      .default(true)
      .describe(
        'Whether the server deletes a new conversation a day after its last answer, and lists it nowhere.',
      ),
    temperature,
    reasoning,
    max_output_tokens,
  }),
  output: z.object({
    answer: z.string(),
    model: z.string(),
    response_id: responseIdSchema.describe('For `previous_response_id`.'),
    stop_reason: z
      .string()
      .nullable()
      .describe('Why the answer ended, such as `stop` or `length`.'),
    input_tokens: tokenCountSchema,
    output_tokens: tokenCountSchema,
  }),
  run: async ({ temporary, ...body }, { services, context, report }) => {
    const request = {
      ...toTurnRequest({ ...body, stream: true }),
      begun: { isTemporary: temporary },
    };
    const describe = createDescriber(report);
    const { results, storageFailure } = await collect(runTurn(services, request, context), {
      onEvent: describe,
    });
    const [{ items, selection, responseId, stopReason, usage }] = results;
    if (storageFailure !== undefined) throw storageFailure;
    if (responseId === undefined) throw new HearthError('internal', 'The answer was not stored.');
    return {
      answer: items.flatMap((item) => (item.type === 'message' ? [item.text] : [])).join('\n\n'),
      model: selection.model.key,
      response_id: responseId,
      stop_reason: stopReason,
      input_tokens: usage.promptTokens,
      output_tokens: usage.completionTokens,
    };
  },
});

/** Returns a function that describes the events of a turn in words. */
function createDescriber(report: (state: string) => void): (event: TurnEvent) => void {
  let length = 0;
  return (event) => {
    switch (event.type) {
      case 'queued':
        return report(`Waiting at position ${event.position}`);
      case 'load.start':
        return report('Loading the model');
      case 'load.progress':
        return report(`Loading the model: ${Math.floor(event.fraction * 100)} %`);
      case 'prompt.progress':
        return report(
          `Reading the prompt: ${event.processedTokens} of ${event.totalTokens} tokens`,
        );
      case 'reasoning.delta':
      case 'message.delta':
        length += event.text.length;
        return report(
          `${event.type === 'message.delta' ? 'Answering' : 'Reasoning'}: ${length} characters`,
        );
      default:
        return undefined;
    }
  };
}
