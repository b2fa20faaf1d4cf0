// A tool that Hearth runs: the built-in plugin mcp/speech-script. Start the server with --mcp-allow-plugins and set
// HEARTH_TOKEN to a token with the permissions chat and plugins (hearth token create).
const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';

const response = await fetch(`${url}/api/v1/chat`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${process.env.HEARTH_TOKEN}`,
  },
  body: JSON.stringify({
    model: 'hearth/starter-chat',
    input: 'Call format with text Hello',
    integrations: [{ type: 'plugin', id: 'mcp/speech-script', allowed_tools: ['format'] }],
    temperature: 0,
    reasoning: 'off',
    max_output_tokens: 200,
  }),
});
const body = await response.json();
if (!response.ok) throw new Error(body.error.message);

for (const item of body.output) {
  if (item.type === 'tool_call') {
    console.log(`${item.tool}(${JSON.stringify(item.arguments)}) → ${item.output}`);
  }
  if (item.type === 'message') console.log(item.content);
}
