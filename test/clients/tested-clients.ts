/** A row of the table of docs/contributing/clients-tested.md. */
export interface TestedClient {
  readonly name: string;
  /** Packages of the file's registry, whose installed versions the table shows. */
  readonly packages: readonly string[];
  readonly api: string;
  /** Path of the tests, relative to this folder. */
  readonly file: string;
  /** Only counts tests whose names contain this text. */
  readonly within?: string;
}

const openai = 'OpenAI';
const responses = 'OpenAI (Responses)';
const anthropic = 'Anthropic';
const ollama = 'Ollama';
const mcp = 'MCP';

/** Every client with tests of its own. */
export const testedClients: readonly TestedClient[] = [
  { name: 'OpenAI', packages: ['openai'], api: `v0, ${openai}`, file: 'npm/openai.test.ts' },
  { name: 'OpenAI', packages: ['openai'], api: `v0, ${openai}`, file: 'python/test_openai.py' },
  {
    name: 'OpenAI',
    packages: ['github.com/openai/openai-go/v3'],
    api: `${openai}, Responses`,
    file: 'go/go.test.ts',
    within: 'openai-go ',
  },
  {
    name: 'OpenAI',
    packages: ['openai-java'],
    api: `${openai}, Responses`,
    file: 'java/java.test.ts',
    within: 'openai-java ',
  },
  {
    name: 'Anthropic',
    packages: ['@anthropic-ai/sdk'],
    api: anthropic,
    file: 'npm/anthropic.test.ts',
  },
  { name: 'Anthropic', packages: ['anthropic'], api: anthropic, file: 'python/test_anthropic.py' },
  {
    name: 'Anthropic',
    packages: ['github.com/anthropics/anthropic-sdk-go'],
    api: anthropic,
    file: 'go/go.test.ts',
    within: 'anthropic-sdk-go ',
  },
  {
    name: 'Anthropic',
    packages: ['anthropic-java'],
    api: anthropic,
    file: 'java/java.test.ts',
    within: 'anthropic-java ',
  },
  { name: 'Ollama', packages: ['ollama'], api: ollama, file: 'npm/ollama.test.ts' },
  { name: 'Ollama', packages: ['ollama'], api: ollama, file: 'python/test_ollama.py' },
  {
    name: 'Ollama',
    packages: ['github.com/ollama/ollama'],
    api: ollama,
    file: 'go/go.test.ts',
    within: 'ollama api ',
  },
  {
    name: 'AI SDK',
    packages: ['ai', '@ai-sdk/openai'],
    api: responses,
    file: 'npm/ai-sdk.test.ts',
    within: '@ai-sdk/openai ',
  },
  {
    name: 'AI SDK',
    packages: ['ai', '@ai-sdk/openai-compatible'],
    api: openai,
    file: 'npm/ai-sdk.test.ts',
    within: '@ai-sdk/openai-compatible ',
  },
  {
    name: 'AI SDK',
    packages: ['ai', '@ai-sdk/anthropic'],
    api: anthropic,
    file: 'npm/ai-sdk.test.ts',
    within: '@ai-sdk/anthropic ',
  },
  {
    name: 'LangChain',
    packages: ['@langchain/openai'],
    api: `v0, ${openai}`,
    file: 'npm/langchain.test.ts',
  },
  {
    name: 'LangChain',
    packages: ['langchain-openai'],
    api: `v0, ${openai}`,
    file: 'python/test_langchain.py',
  },
  {
    name: 'LangChain',
    packages: ['@langchain/anthropic'],
    api: anthropic,
    file: 'npm/langchain-anthropic.test.ts',
  },
  {
    name: 'LangChain',
    packages: ['langchain-anthropic'],
    api: anthropic,
    file: 'python/test_langchain_anthropic.py',
  },
  {
    name: 'LangChain',
    packages: ['@langchain/ollama'],
    api: ollama,
    file: 'npm/langchain-ollama.test.ts',
  },
  {
    name: 'LangChain',
    packages: ['langchain-ollama'],
    api: ollama,
    file: 'python/test_langchain_ollama.py',
  },
  {
    name: 'LangChain4j',
    packages: ['langchain4j-open-ai'],
    api: openai,
    file: 'java/java.test.ts',
    within: 'langchain4j-openai ',
  },
  {
    name: 'LangChain4j',
    packages: ['langchain4j-ollama'],
    api: ollama,
    file: 'java/java.test.ts',
    within: 'langchain4j-ollama ',
  },
  {
    name: 'LangGraph',
    packages: ['langgraph'],
    api: `${openai}, Responses`,
    file: 'python/frameworks/test_langgraph.py',
  },
  {
    name: 'LlamaIndex',
    packages: ['llama-index-llms-ollama'],
    api: ollama,
    file: 'python/test_llama_index.py',
  },
  {
    name: 'LiteLLM',
    packages: ['litellm'],
    api: `${openai}, ${anthropic}, ${ollama}`,
    file: 'python/frameworks/test_litellm.py',
  },
  {
    name: 'LiteLLM proxy',
    packages: ['litellm'],
    api: openai,
    file: 'python/litellm-proxy/test_litellm_proxy.py',
  },
  {
    name: 'Haystack',
    packages: ['haystack-ai'],
    api: openai,
    file: 'python/frameworks/test_haystack.py',
  },
  { name: 'DSPy', packages: ['dspy'], api: openai, file: 'python/frameworks/test_dspy.py' },
  {
    name: 'smolagents',
    packages: ['smolagents'],
    api: openai,
    file: 'python/frameworks/test_smolagents.py',
  },
  {
    name: 'Pydantic AI',
    packages: ['pydantic-ai-slim'],
    api: `${openai}, Responses`,
    file: 'python/frameworks/test_pydantic_ai.py',
  },
  {
    name: 'OpenAI Agents SDK',
    packages: ['openai-agents'],
    api: `${openai}, Responses`,
    file: 'python/frameworks/test_openai_agents.py',
  },
  {
    name: 'OpenAI Agents SDK',
    packages: ['@openai/agents'],
    api: `${openai}, Responses`,
    file: 'npm/openai-agents.test.ts',
  },
  {
    name: 'Instructor',
    packages: ['instructor'],
    api: openai,
    file: 'python/instructor/test_instructor.py',
  },
  { name: 'llm', packages: ['llm'], api: openai, file: 'python/frameworks/test_llm.py' },
  {
    name: 'Claude Code',
    packages: ['@anthropic-ai/claude-code-linux-x64'],
    api: anthropic,
    file: 'npm/claude-code.test.ts',
  },
  { name: 'Codex', packages: ['@openai/codex'], api: responses, file: 'npm/codex.test.ts' },
  {
    name: 'opencode',
    packages: ['opencode-linux-x64'],
    api: openai,
    file: 'npm/opencode.test.ts',
  },
  { name: 'Cline', packages: ['@cline/cli-linux-x64'], api: openai, file: 'npm/cline.test.ts' },
  { name: 'Continue', packages: ['@continuedev/cli'], api: openai, file: 'npm/continue.test.ts' },
  {
    name: 'Open WebUI',
    packages: ['open-webui'],
    api: openai,
    file: 'python/open-webui/open-webui.test.ts',
    within: 'through OpenAI ',
  },
  {
    name: 'Open WebUI',
    packages: ['open-webui'],
    api: ollama,
    file: 'python/open-webui/open-webui.test.ts',
    within: 'through Ollama ',
  },
  { name: 'Aider', packages: ['aider-chat'], api: openai, file: 'python/aider/aider.test.ts' },
  { name: 'MCP SDK', packages: ['mcp'], api: mcp, file: 'python/mcp/test_mcp.py' },
  {
    name: 'MCP SDK',
    packages: ['github.com/modelcontextprotocol/go-sdk'],
    api: mcp,
    file: 'go/go.test.ts',
    within: 'mcp go-sdk ',
  },
  {
    name: 'LM Studio SDK: refused',
    packages: ['@lmstudio/sdk'],
    api: 'none',
    file: 'npm/lmstudio.test.ts',
  },
  {
    name: 'LM Studio SDK: refused',
    packages: ['lmstudio'],
    api: 'none',
    file: 'python/frameworks/test_lmstudio.py',
  },
];
