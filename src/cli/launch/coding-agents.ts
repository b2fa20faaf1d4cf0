/** Facts about a server that an agent needs. */
export interface LaunchTarget {
  /** Such as `http://127.0.0.1:1234`, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly model: string;
  /** Tokens; undefined if it is unknown. */
  readonly contextLength: number | undefined;
}

export interface CodingAgent {
  /** Name on the command line of `hearth launch`. */
  readonly name: string;
  readonly title: string;
  readonly program: string;
  /** Command that installs the program. */
  readonly install: string;
  environment(target: LaunchTarget): Readonly<Record<string, string>>;
  /** Arguments that precede the user's. */
  arguments?(target: LaunchTarget): readonly string[];
}

/** The coding agents that `hearth launch` supports. A new agent needs one entry here and one in docs/clients.md. */
export const codingAgents: readonly CodingAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    environment: ({ url, token, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    install: 'npm install -g @openai/codex',
    environment: ({ token }) => ({ HEARTH_TOKEN: token }),
    arguments: ({ url, model, contextLength }) => [
      '-c',
      'model_provider="hearth"',
      '-c',
      `model_providers.hearth={name="Hearth",base_url="${url}/v1",env_key="HEARTH_TOKEN",wire_api="responses"}`,
      '-c',
      'web_search="disabled"',
      ...(contextLength === undefined ? [] : ['-c', `model_context_window=${contextLength}`]),
      '-m',
      model,
    ],
  },
  {
    name: 'opencode',
    title: 'opencode',
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    environment: ({ url, token, model, contextLength }) => ({
      HEARTH_TOKEN: token,
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: {
          hearth: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Hearth',
            options: { baseURL: `${url}/v1`, apiKey: '{env:HEARTH_TOKEN}' },
            models: { [model]: openCodeModel(contextLength) },
          },
        },
        model: `hearth/${model}`,
        small_model: `hearth/${model}`,
      }),
    }),
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    environment: ({ url, token, model }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: token,
      OPENAI_MODEL: model,
    }),
  },
  {
    name: 'aider',
    title: 'Aider',
    program: 'aider',
    install: 'pipx install aider-chat',
    environment: ({ url, token }) => ({
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: token,
    }),
    arguments: ({ model }) => ['--model', `openai/${model}`],
  },
  {
    name: 'goose',
    title: 'Goose',
    program: 'goose',
    install: 'see https://block.github.io/goose',
    environment: ({ url, token, model }) => ({
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model,
      OPENAI_HOST: url,
      OPENAI_API_KEY: token,
    }),
  },
];

/** Without these limits, opencode never shortens a conversation in time. */
function openCodeModel(contextLength: number | undefined): object {
  if (contextLength === undefined) return {};
  return { limit: { context: contextLength, output: Math.min(32_000, contextLength >> 2) } };
}
