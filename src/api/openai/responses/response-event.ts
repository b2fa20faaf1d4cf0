import type {
  OpenAiFileCitation,
  OpenAiOutputItem,
  OpenAiOutputText,
  OpenAiResponse,
} from './response-schema.ts';

type Part = OpenAiOutputText | { readonly type: 'reasoning_text'; readonly text: string };

interface OfItem {
  readonly item_id: string;
  readonly output_index: number;
}
interface OfPart extends OfItem {
  readonly content_index: number;
}

interface StreamLogprob {
  token: string;
  logprob: number;
  top_logprobs: { token: string; logprob: number }[];
}

/** The events of OpenAI's response streams that this server sends, without their `sequence_number`. */
export type ResponseEvent =
  | {
      readonly type:
        | 'response.created'
        | 'response.queued'
        | 'response.in_progress'
        | 'response.completed'
        | 'response.incomplete'
        | 'response.failed';
      readonly response: OpenAiResponse;
    }
  | {
      readonly type: 'response.output_item.added' | 'response.output_item.done';
      readonly output_index: number;
      readonly item: OpenAiOutputItem;
    }
  | (OfPart & {
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: Part;
    })
  | (OfPart & {
      readonly type: 'response.output_text.delta';
      readonly delta: string;
      logprobs: StreamLogprob[];
    })
  | (OfPart & {
      readonly type: 'response.output_text.done';
      readonly text: string;
      logprobs: StreamLogprob[];
    })
  | (OfPart & {
      readonly type: 'response.output_text.annotation.added';
      readonly annotation_index: number;
      readonly annotation: OpenAiFileCitation;
    })
  | (OfPart & { readonly type: 'response.reasoning_text.delta'; readonly delta: string })
  | (OfPart & { readonly type: 'response.reasoning_text.done'; readonly text: string })
  | (OfItem & {
      readonly type: 'response.function_call_arguments.delta' | 'response.mcp_call_arguments.delta';
      readonly delta: string;
    })
  | (OfItem & {
      readonly type: 'response.function_call_arguments.done';
      readonly name: string;
      readonly arguments: string;
    })
  | (OfItem & {
      readonly type: 'response.mcp_call_arguments.done';
      readonly arguments: string;
    })
  | (OfItem & {
      readonly type:
        | 'response.file_search_call.in_progress'
        | 'response.file_search_call.searching'
        | 'response.file_search_call.completed'
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed'
        | 'response.mcp_list_tools.in_progress'
        | 'response.mcp_list_tools.completed'
        | 'response.mcp_list_tools.failed';
    });

/** The last event of a stream that failed. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
}

/** An event with its number in the stream. */
export type NumberedEvent = (ResponseEvent | ErrorEvent) & { readonly sequence_number: number };
