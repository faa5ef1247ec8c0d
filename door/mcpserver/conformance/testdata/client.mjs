// Drives the test server with one of the TypeScript SDK's clients and prints what it saw as JSON.
//
//   node client.mjs NODE_MODULES v1|v2|v2-modern http URL
//   node client.mjs NODE_MODULES v1|v2|v2-modern stdio COMMAND ARGUMENT…
import { createRequire } from 'node:module';

const [modules, kind, wire, target, ...args] = process.argv.slice(2);
const require = createRequire(modules + '/');

function parts() {
  if (kind === 'v1') {
    return {
      Client: require('@modelcontextprotocol/sdk/client/index.js').Client,
      Http: require('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport,
      Stdio: require('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport,
      changed: require('@modelcontextprotocol/sdk/types.js').ToolListChangedNotificationSchema,
    };
  }
  return {
    Client: require('@modelcontextprotocol/client').Client,
    Http: require('@modelcontextprotocol/client').StreamableHTTPClientTransport,
    Stdio: require('@modelcontextprotocol/client/stdio').StdioClientTransport,
  };
}

const { Client, Http, Stdio, changed } = parts();
let tellChange;
const change = new Promise((resolve) => { tellChange = () => resolve(true); });
const options = { capabilities: {} };
if (kind === 'v2-modern') options.versionNegotiation = { mode: 'auto' };
if (kind !== 'v1') options.listChanged = { tools: { onChanged: tellChange } };

const client = new Client({ name: 'twodoor-test', version: '1.0.0' }, options);
if (kind === 'v1') client.setNotificationHandler(changed, tellChange);
const transport = wire === 'http' ? new Http(new URL(target)) : new Stdio({ command: target, args, stderr: 'inherit' });
await client.connect(transport);

const seen = { server: client.getServerVersion()?.name, version: client.getNegotiatedProtocolVersion?.() ?? '' };
const { tools } = await client.listTools();
seen.tools = tools.map((tool) => tool.name);
const call = (name, args, options) => kind === 'v1'
  ? client.callTool({ name, arguments: args }, undefined, options)
  : client.callTool({ name, arguments: args }, options);
seen.text = (await call('test_simple_text', {})).content[0].text;
seen.echo = (await call('echo', { value: 'grüße 🚪' })).content[0].text;
seen.kinds = (await call('test_multiple_content_types', {})).content.map((block) => block.type);
seen.isError = (await call('test_error_handling', {})).isError;
seen.progress = [];
await call('test_tool_with_progress', {}, { onprogress: (p) => seen.progress.push(p.progress) });
seen.unknown = await call('no_such_tool', {}).then(() => 0, (error) => error.code);
const stop = new AbortController();
const stopped = call('test_tool_with_progress', {}, { signal: stop.signal }).then(() => 'answered', () => 'canceled');
stop.abort();
seen.stopped = await stopped;
await call('test_trigger_tool_change', {});
seen.changed = await Promise.race([change, new Promise((resolve) => setTimeout(resolve, 10_000, false))]);
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
