// The pages of the documentation site, in the order of its sidebar. Paths are from the root of the repository.
import { posix } from 'node:path';

export const sections = [
  {
    title: 'Get started',
    pages: [
      ['Hearth', 'README.md'],
      ['Choose a model', 'docs/choose-a-model.md'],
      ['The chat command', 'docs/chat-command.md'],
      ['Coming from other servers', 'docs/coming-from.md'],
      ['How Hearth compares', 'docs/compare.md'],
      ['Examples', 'examples/README.md'],
    ],
  },
  {
    title: 'Use it',
    pages: [
      ['Web app', 'docs/web-app.md'],
      ['Models', 'docs/models.md'],
      ['Downloads', 'docs/downloads.md'],
      ['Adapters', 'docs/adapters.md'],
      ['Presets and prompts', 'docs/presets.md'],
      ['Projects', 'docs/projects.md'],
      ['Documents', 'docs/documents.md'],
      ['Retrieval', 'docs/rag.md'],
      ['Search in documents', 'docs/document-search.md'],
      ['Agents', 'docs/agents.md'],
      ['Audio', 'docs/audio.md'],
      ['Tools', 'docs/tools.md'],
      ['Speech scripts', 'docs/speech-script.md'],
    ],
  },
  {
    title: 'Connect',
    pages: [
      ['APIs', 'docs/apis.md'],
      ['Clients and coding agents', 'docs/clients.md'],
      ['Chat', 'docs/chat.md'],
      ['Conversations', 'docs/conversations.md'],
      ['Responses', 'docs/responses.md'],
      ['OpenAI', 'docs/openai.md'],
      ['Anthropic', 'docs/anthropic.md'],
      ['Ollama', 'docs/ollama.md'],
      ['REST v0', 'docs/rest-v0.md'],
      ['MCP server', 'docs/mcp-server.md'],
      ['Node.js package', 'docs/npm-package.md'],
    ],
  },
  {
    title: 'Run it',
    pages: [
      ['Upgrades and backups', 'docs/upgrade.md'],
      ['Start at boot', 'docs/service.md'],
      ['Containers and proxies', 'docs/containers.md'],
      ['Access from other machines', 'docs/remote-access.md'],
      ['Usage and limits of tokens', 'docs/usage.md'],
      ['Observability', 'docs/observability.md'],
      ['GPUs', 'docs/gpus.md'],
      ['Engine runtimes', 'docs/runtimes.md'],
      ['MLX', 'docs/mlx.md'],
      ['Linked machines', 'docs/link.md'],
      ['Remote engines', 'docs/remote-engines.md'],
      ['PostgreSQL', 'docs/postgresql.md'],
      ['Kubernetes', 'docs/kubernetes.md'],
      ['Scaling', 'docs/scaling.md'],
      ['A cluster to try', 'examples/cluster/README.md'],
      ['Platforms', 'docs/platforms.md'],
    ],
  },
  {
    title: 'Help',
    pages: [
      ['Troubleshooting', 'docs/troubleshooting.md'],
      ['Check an installation', 'docs/doctor.md'],
      ['Errors', 'docs/errors.md'],
      ['Security', 'SECURITY.md'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['Commands', 'docs/cli.md'],
      ['Settings', 'docs/settings.md'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  },
  {
    title: 'Develop',
    pages: [
      ['Contributing', 'CONTRIBUTING.md'],
      ['Architecture', 'ARCHITECTURE.md'],
      ['Decisions', 'docs/adr/README.md'],
      ['Add an API', 'docs/contributing/add-an-api.md'],
      ['Web app', 'docs/contributing/web-app.md'],
      ['Everyday jobs', 'docs/contributing/everyday-jobs.md'],
      ['Glossary', 'docs/contributing/glossary.md'],
      ['Scheduler', 'docs/contributing/scheduler.md'],
      ['Warm state', 'docs/contributing/warm-state.md'],
      ['Performance', 'docs/contributing/performance.md'],
      ['Scaling', 'docs/contributing/scaling.md'],
      ['Platforms', 'docs/contributing/platforms.md'],
      ['Dependencies', 'docs/contributing/dependencies.md'],
      ['Tests', 'docs/contributing/testing.md'],
      ['Releases', 'docs/contributing/releases.md'],
      ['Drills', 'docs/contributing/drills.md'],
      ['Mutation testing', 'docs/contributing/mutation-testing.md'],
      ['Requirements', 'docs/contributing/requirements.md'],
      ['Tested clients', 'docs/contributing/clients-tested.md'],
      ['Tested engines', 'docs/contributing/engines-tested.md'],
      ['Other servers', 'docs/contributing/peers.md'],
      ['Questions of newcomers', 'docs/contributing/newcomer-questions.md'],
      ['Code of conduct', 'CODE_OF_CONDUCT.md'],
    ],
  },
];

/** Pages that others link to, and that the sidebar leaves out: each decision is in the list of `docs/adr/README.md`. */
export const isDecision = (source) => /^docs\/adr\/\d/.test(source);

/** The path of a page below the root of the site: `docs/models.md` is `models.md`, `README.md` is `index.md`. */
export function sitePath(source) {
  const path = source.replace(/^docs\//, '');
  const folder = posix.dirname(path);
  if (posix.basename(path) !== 'README.md') return folder === '.' ? path.toLowerCase() : path;
  if (path === 'README.md') return 'index.md';
  return path.startsWith('adr/') ? 'adr/index.md' : `${folder}.md`;
}
