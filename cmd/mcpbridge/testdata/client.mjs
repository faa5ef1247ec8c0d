// Drives a front of twodoor with one of the TypeScript SDK's clients and prints what it saw as JSON.
//
//   node client.mjs NODE_MODULES v1|v2|v2-modern FILE http URL TOKEN
//   node client.mjs NODE_MODULES v1|v2|v2-modern FILE stdio COMMAND ARGUMENT…
import { createRequire } from 'node:module';

const [modules, kind, file, wire, target, ...args] = process.argv.slice(2);
const require = createRequire(modules + '/');
const v1 = kind === 'v1';
const at = (name) => v1 ? '@modelcontextprotocol/sdk/client/' + name + '.js' : '@modelcontextprotocol/client' + (name === 'stdio' ? '/stdio' : '');
const { Client } = require(at('index'));
const { StreamableHTTPClientTransport } = require(at('streamableHttp'));
const { StdioClientTransport } = require(at('stdio'));

const options = { capabilities: {} };
if (kind === 'v2-modern') options.versionNegotiation = { mode: 'auto' };
const client = new Client({ name: 'twodoor-test', version: '1.0.0' }, options);
const transport = wire === 'http'
  ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: 'Bearer ' + args[0] } } })
  : new StdioClientTransport({ command: target, args, stderr: 'inherit', env: process.env });
await client.connect(transport);

const call = (name, args, options) => v1
  ? client.callTool({ name, arguments: args }, undefined, options)
  : client.callTool({ name, arguments: args }, options);
const seen = {};
seen.tools = (await client.listTools()).tools.length;
for (const server of ['every', 'web']) {
  const echo = await call(server + '_echo', { message: 'grüße 🚪' });
  const image = await call(server + '_get-tiny-image', {});
  const structured = await call(server + '_get-structured-content', { location: 'Chicago' });
  const steps = [];
  await call(server + '_trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onprogress: (p) => steps.push(p.progress) });
  const stop = new AbortController();
  const stopped = call(server + '_trigger-long-running-operation', { duration: 60, steps: 2 }, { signal: stop.signal }).then(() => 'answered', () => 'canceled');
  setTimeout(() => stop.abort(), 50);
  seen[server] = {
    echo: echo.content[0].text, image: image.content.find((block) => block.type === 'image')?.mimeType,
    temperature: structured.structuredContent?.temperature, progress: steps.length > 0, stopped: await stopped,
  };
}
seen.file = (await call('files_read_text_file', { path: file })).content[0].text;
seen.refused = (await call('files_read_text_file', { path: '/etc/passwd' })).isError;
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
