import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/**
 * A plugin with tools that the starter model uses well: each takes one text and returns a flat object. Some of them
 * fail. The plugin appends what happens to the file in its first argument, one JSON object per line.
 */
const [journal = ''] = process.argv.slice(2);

function note(entry: object): void {
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
}

const server = new McpServer({ name: 'harbour', version: '1.0.0' });
const city = z.object({ city: z.string() });
const harbour = z.object({ harbour: z.string() });
const text = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
});

server.registerTool(
  'get_weather',
  { description: 'Get the weather of a city', inputSchema: city },
  async (input, { mcpReq }) => {
    // oxlint-disable-next-line no-underscore-dangle -- a field of MCP
    const { traceparent } = { ...mcpReq._meta };
    note({ called: 'get_weather', input, ...(traceparent === undefined ? {} : { traceparent }) });
    return text({ temperature: 14, sky: 'cloudy' });
  },
);
server.registerTool(
  'check_tide',
  { description: 'Check the tide of a harbour', inputSchema: harbour },
  async (input) => {
    note({ called: 'check_tide', input });
    return text({ status: 'high' });
  },
);
// Engines that constrain a model to a schema do not know this format.
server.registerTool(
  'get_population',
  {
    description: 'Get the population of a city',
    inputSchema: z.object({ city: z.string().meta({ format: 'email' }) }),
  },
  async () => text({ count: 0 }),
);
server.registerTool(
  'get_wind',
  { description: 'Get the wind of a city', inputSchema: city },
  async () => {
    process.stderr.write('out of wind\n');
    // oxlint-disable-next-line unicorn/no-process-exit
    process.exit(3);
  },
);
server.registerTool(
  'find_ferry',
  { description: 'Find the ferry of a harbour', inputSchema: harbour },
  async (input, { mcpReq }) => {
    note({ called: 'find_ferry', input });
    await once(mcpReq.signal, 'abort');
    return text({});
  },
);

note({ started: process.pid });
await server.connect(new StdioServerTransport());
