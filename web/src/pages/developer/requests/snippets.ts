/** The request that a snippet repeats. */
export interface RepeatedRequest {
  readonly method: string;
  readonly path: string;
  /** JSON body; undefined if there is none or it was not recorded. */
  readonly body: unknown;
}

interface Place {
  /** Origin of the server. */
  readonly origin: string;
  readonly needsToken: boolean;
}

/** The request as a curl command for a POSIX shell. The token is read from an environment variable. */
export function toCurl({ method, path, body }: RepeatedRequest, place: Place): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuote(place.origin + path)}`,
    ...(place.needsToken ? ['-H "Authorization: Bearer $HEARTH_TOKEN"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request in JavaScript, with the SDK for its API. */
export function toProgram(request: RepeatedRequest, place: Place): string {
  const { path, body } = request;
  const argument = body === undefined ? '' : JSON.stringify(body, null, 2);
  const method = openAiMethods[path];
  if (method !== undefined) {
    return [
      "import OpenAI from 'openai';",
      '',
      `const client = new OpenAI({`,
      `  baseURL: ${JSON.stringify(`${place.origin}/v1`)},`,
      `  apiKey: ${place.needsToken ? 'process.env.HEARTH_TOKEN' : "'none'"},`,
      '});',
      `const result = await client.${method}(${argument});`,
    ].join('\n');
  }
  if (path === '/v1/messages') {
    return [
      "import Anthropic from '@anthropic-ai/sdk';",
      '',
      'const client = new Anthropic({',
      `  baseURL: ${JSON.stringify(place.origin)},`,
      `  apiKey: ${place.needsToken ? 'process.env.HEARTH_TOKEN' : "'none'"},`,
      '});',
      `const result = await client.messages.create(${argument});`,
    ].join('\n');
  }
  return toFetch(request, place);
}

const openAiMethods: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat.completions.create',
  '/v1/completions': 'completions.create',
  '/v1/embeddings': 'embeddings.create',
  '/v1/models': 'models.list',
  '/v1/responses': 'responses.create',
};

function toFetch({ method, path, body }: RepeatedRequest, place: Place): string {
  const headers = [
    ...(place.needsToken ? ['    Authorization: `Bearer ${process.env.HEARTH_TOKEN}`,'] : []),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
  ];
  return [
    `const response = await fetch(${JSON.stringify(place.origin + path)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body, null, 2)}),`]),
    '});',
    'console.log(await response.text());',
  ].join('\n');
}
