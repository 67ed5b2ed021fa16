import { afterEach, expect, it, vi } from 'vitest';
import { settings as declared } from '../../../src/features.ts';
import { runCommand } from '../../support/command.ts';
import { openGateway, postQuery } from '../../support/gateway.ts';
import { sendSite, startUpstream } from '../../support/upstream.ts';
import { startCollector } from './collector.ts';

/*
 * The variables of the specification of OpenTelemetry: each has its effect, or a warning names it.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */

afterEach(() => vi.unstubAllEnvs());

/** The warnings and the traces of a gateway after two operations in these surroundings. */
async function run(env: Record<string, string>) {
  const collector = await startCollector();
  for (const [name, value] of Object.entries(env))
    vi.stubEnv(name, value.replace('COLLECTOR', collector.url));
  const upstream = await startUpstream(sendSite);
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const gateway = await openGateway(upstream.url, settings);
  await postQuery(gateway.url, '{ __typename }');
  await postQuery(gateway.url, '{ __typename }', {
    headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' },
  });
  const operations = await gateway.logged('operation', 2);
  await gateway.close();
  const { resources, requests } = collector;
  const logged = gateway.lines.filter((line) => !line.startsWith('operation'));
  return {
    warnings: [...declared.warningsOf({ ...settings, ...env }), ...logged],
    resource: resources[0],
    requests,
    sampled: operations.filter(({ traceId }) => traceId).length,
  };
}

const nothing = { requests: [], sampled: 0 };
const headers = { a: 'b', 'content-encoding': 'gzip' };
const prefix = 'OTEL_EXPORTER_OTLP_';
const collectorOf = (signal: string) => ({
  [`${prefix}${signal}HEADERS`]: 'a=b',
  [`${prefix}${signal}COMPRESSION`]: 'gzip',
  [`${prefix}${signal}PROTOCOL`]: 'http/protobuf',
  [`${prefix}${signal}TIMEOUT`]: '5000',
});

it.each<[env: Record<string, string>, effect: object]>([
  [{ OTEL_SDK_DISABLED: 'TRUE' }, nothing],
  [{ OTEL_TRACES_EXPORTER: 'none' }, nothing],
  [
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    { sampled: 1 },
  ],
  [
    { OTEL_RESOURCE_ATTRIBUTES: 'a.b=c%20d,service.name=x,service.version=7', OTEL_SERVICE_NAME: 'other' },
    { resource: { 'a.b': 'c d', 'service.name': 'other', 'service.version': '7' } },
  ],
  [{ ...collectorOf(''), OTEL_PROPAGATORS: 'tracecontext' }, { requests: [{ path: '/v1/traces', headers }] }],
  [
    { ...collectorOf('TRACES_'), OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'COLLECTOR/own' },
    { requests: [{ path: '/own', headers }] },
  ],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, { sampled: 2 }],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, nothing],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, { sampled: 2 }],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, { sampled: 1 }],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, nothing],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, nothing],
  [
    { OTEL_BSP_MAX_QUEUE_SIZE: '0', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0' },
    { requests: [], sampled: 1 },
  ],
])('heeds %j', async (env, effect) => {
  expect(await run(env)).toMatchObject({ warnings: [], ...effect });
});

it('logs each value that it cannot use', async () => {
  const invalid: [name: string, value: string, warning: string][] = [
    ['OTEL_RESOURCE_ATTRIBUTES', 'a', 'Invalid format for OTEL_RESOURCE_ATTRIBUTES'],
    ['OTEL_TRACES_SAMPLER_ARG', '7', 'OTEL_TRACES_SAMPLER_ARG is ignored: it must be a number from 0 to 1'],
    ...['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE'].map(
      (name): [string, string, string] => [`OTEL_BSP_${name}`, '-1', `OTEL_BSP_${name} is ignored`],
    ),
    ...['', 'TRACES_'].flatMap((signal): [string, string, string][] => [
      [`${prefix}${signal}TIMEOUT`, '-1', `${prefix}${signal}TIMEOUT is invalid`],
      [`${prefix}${signal}COMPRESSION`, 'zip', `${prefix}${signal}COMPRESSION is invalid`],
    ]),
  ];
  const { warnings, sampled } = await run(Object.fromEntries(invalid));
  expect(warnings).toHaveLength(invalid.length);
  for (const [, , warning] of invalid) expect(warnings.join('\n')).toContain(warning);
  expect(sampled).toBe(1);
});

it.each(['', 'TRACES_'])(
  'logs each certificate that it cannot read: OTEL_EXPORTER_OTLP_%s…',
  async (signal) => {
    const names = ['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'].map(
      (name) => `${prefix}${signal}${name}`,
    );
    const { warnings } = await run(Object.fromEntries(names.map((name) => [name, '/nowhere'])));
    expect(warnings).toEqual(names.map(() => expect.stringMatching(/^Failed to read/)));
  },
);

const ignored = [
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_LOGS_EXPORTER',
  'OTEL_PROPAGATORS',
  'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT',
  'OTEL_TRACES_SAMPLER',
];

it.each<[what: string, env: Record<string, string>, names: string[]]>([
  [
    'without effect',
    {
      ...Object.fromEntries(ignored.map((name) => [name, '1'])),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_SERVICE_NAME: '  ',
    },
    [...ignored, 'OTEL_EXPORTER_OTLP_PROTOCOL'].sort(),
  ],
  ['without an endpoint', { OTEL_SERVICE_NAME: 'a' }, ['OTEL_SERVICE_NAME']],
])('names in one line what is %s', async (_, env, names) => {
  const { stdout } = await runCommand(['check-config'], { env });
  const effect = 'the gateway sends traces alone, as protobuf over HTTP, to OTEL_EXPORTER_OTLP_ENDPOINT';
  expect(stdout.trim().split('\n').at(-1)).toBe(`${names.join(', ')} has no effect: ${effect}`);
});
