// A page whose script is loaded when it is first shown.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** What makes the pages whose scripts did not come load them anew. */
const failed = new Set<() => void>();

/** React keeps the failure of a load for good; `tryFailedPagesAgain` ends it. */
export function lazyPage<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const make = (): LazyExoticComponent<ComponentType<Props>> =>
    lazy(() =>
      load().catch((error) => {
        failed.add(makeAnew);
        throw error;
      }),
    );
  const makeAnew = () => {
    Page = make();
  };
  let Page = make();
  return (props) => <Page {...props} />;
}

/** Has the pages whose scripts did not come load them again when they are shown next. */
export function tryFailedPagesAgain(): void {
  for (const makeAnew of failed) makeAnew();
  failed.clear();
}
