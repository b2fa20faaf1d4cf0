import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { answerText } from '../messages/turn.ts';

interface Question {
  readonly model: string;
  /** Response that the question continues. */
  readonly previousId: string;
  readonly text: string;
  readonly maxTokens: number;
  readonly contextLength?: number | undefined;
}

/**
 * Asks a model about a conversation, without reasoning. Neither the question nor the answer is stored.
 *
 * @throws ApiError, UnreachableError
 */
export async function askModel(question: Question): Promise<string> {
  const { model, previousId, text, maxTokens, contextLength } = question;
  const { models } = await queryClient.ensureQueryData(modelsQuery);
  const { reasoning } = models.find(({ key }) => key === model)?.capabilities ?? {};
  const { output } = await call('post', '/api/v1/chat', {
    body: {
      model,
      input: text,
      previous_response_id: previousId,
      store: false,
      // Without truncation, a conversation that fills the context would leave no space for the question.
      truncation: 'auto',
      max_output_tokens: maxTokens,
      ...(reasoning?.allowed_options.includes('off') === true ? { reasoning: 'off' } : {}),
      ...(contextLength === undefined ? {} : { context_length: contextLength }),
    },
  });
  return answerText({ items: output }).trim();
}
