// A page whose script is loaded when it is first shown.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** For each page whose script did not come, the function that makes the page load it again. */
const retries = new Set<() => void>();

/** React keeps the failure of a load for good; `tryFailedPagesAgain` ends it. */
export function lazyPage<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const make = (): LazyExoticComponent<ComponentType<Props>> =>
    lazy(() =>
      load().catch((error) => {
        retries.add(retry);
        throw error;
      }),
    );
  const retry = () => {
    Page = make();
  };
  let Page = make();
  return (props) => <Page {...props} />;
}

/** Makes the pages whose scripts did not come load them again when they are shown next. */
export function tryFailedPagesAgain(): void {
  for (const retry of retries) retry();
  retries.clear();
}
