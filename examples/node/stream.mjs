// Prints an answer while the model generates it, then the statistics.
const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';

const response = await fetch(`${url}/api/v1/chat`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    model: 'hearth/starter-chat',
    input: 'Tell me a story',
    max_output_tokens: 60,
    temperature: 0,
    reasoning: 'off',
    stream: true,
  }),
});
if (!response.ok) throw new Error((await response.json()).error.message);

for await (const event of events(response.body)) {
  if (event.type === 'message.delta') process.stdout.write(event.content);
  if (event.type === 'error') throw new Error(event.error.message);
  if (event.type === 'chat.end') {
    const { total_output_tokens: tokens, tokens_per_second: speed } = event.result.stats;
    console.log(`\n\n${tokens} tokens, ${Math.round(speed)} tokens/s`);
  }
}

/** Yields the JSON of each `data:` line. An event may arrive in several chunks. */
async function* events(body) {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length));
    }
  }
}
