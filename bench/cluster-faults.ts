// The faults that the trial causes in the cluster, by the names in the table that it prints.
import type { DatabaseHost, Hosts } from "./cluster-hosts.ts";

/** Causes a fault, and returns the function that ends it. The trial calls it some seconds after a lead is acknowledged again. */
export type Fault = (hosts: Hosts, roles: Roles) => () => void;

interface Roles {
  primary: DatabaseHost;
  standby: DatabaseHost;
  etcd: DatabaseHost;
}

const killPrimary: Fault = ({ kill, killPostgres, start }, { primary }) => {
  kill(primary, "patroni");
  killPostgres(primary);
  return () => start(primary, "patroni");
};
const killEtcd: Fault = ({ kill, start }, { etcd }) => {
  kill(etcd, "etcd");
  return () => start(etcd, "etcd");
};
const killWeb: Fault = ({ kill, start }) => {
  kill("web1", "web");
  return () => start("web1", "web");
};
const cut = ({ cut, rejoin }: Hosts, host: DatabaseHost) => {
  cut(host);
  return () => rejoin(host);
};
const both =
  (one: Fault, other: Fault): Fault =>
  (...to) => {
    const undo = [one(...to), other(...to)];
    return () => undo.forEach((each) => void each());
  };

/**
 * The name of the fault that lasts longest: the primary's Patroni is frozen while its PostgreSQL goes on, and the Patroni of another host
 * promotes the PostgreSQL there.
 */
export const frozenPatroni = "stop Patroni of the primary (SIGSTOP)";

export const faults: Record<string, Fault> = {
  "kill PostgreSQL of the primary": ({ killPostgres }, { primary }) => {
    killPostgres(primary);
    return () => {};
  },
  "kill PostgreSQL and Patroni of the primary": killPrimary,
  "kill etcd's leader": killEtcd,
  "kill a web process": killWeb,
  "kill PostgreSQL and Patroni of the primary, and etcd's leader": both(killPrimary, killEtcd),
  "kill PostgreSQL and Patroni of the primary, and a web process": both(killPrimary, killWeb),
  "cut the primary's network": (hosts, { primary }) => cut(hosts, primary),
  "cut the synchronous standby's network": (hosts, { standby }) => cut(hosts, standby),
  [frozenPatroni]: ({ pidOf, kill, start }, { primary }) => {
    process.kill(pidOf(primary, "patroni"), "SIGSTOP");
    return () => {
      kill(primary, "patroni");
      start(primary, "patroni");
    };
  },
};
