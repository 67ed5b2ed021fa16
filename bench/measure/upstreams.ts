import type { LoadGenerator } from '../load/remote.ts';
import { type Certificate, createCertificate } from '../upstream/certificate.ts';
import { nginxVersion, startNginx } from '../upstream/nginx.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Workload } from '../workloads/workloads.ts';

/** An upstream with an adjustable delay. */
export interface DelayableUpstream extends Upstream {
  setDelay(ms: number): Promise<void>;
}

/** The upstreams of a run. */
export interface Upstreams {
  /** The upstream of a workload, with its delay set; undefined if this machine cannot run it. */
  forWorkload(workload: Workload): Promise<Upstream | undefined>;
  /** The one that can delay its responses. */
  node: DelayableUpstream;
  /** The version of nginx; undefined if it is not installed, and Node serves in its place. */
  nginx: string | undefined;
  stop(): Promise<void>;
}

/** Starts them: nginx where it is installed, and a Node server in the process of the load generator. */
export async function startUpstreams(load: LoadGenerator): Promise<Upstreams> {
  const certificate = createCertificate();
  const nginx = nginxVersion();
  const node = await startRemoteUpstream(load);
  const fast =
    nginx === undefined
      ? {
          plain: node,
          tls: certificate && (await startRemoteUpstream(load, certificate)),
          stop: async () => {},
        }
      : await startNginx(certificate);
  return {
    async forWorkload({ upstreamDelayMs, isTls }) {
      await node.setDelay(upstreamDelayMs);
      if (isTls) return fast.tls;
      return upstreamDelayMs > 0 ? node : fast.plain;
    },
    node,
    nginx,
    stop: fast.stop,
  };
}

async function startRemoteUpstream(
  load: LoadGenerator,
  certificate?: Certificate,
): Promise<DelayableUpstream> {
  const url = await load.call('startUpstream', { certificate });
  return {
    url,
    certificateFile: certificate?.certificateFile,
    counts: () => load.call('countCalls', { url }),
    setDelay: (ms) => load.call('setDelay', { url, ms }),
  };
}
