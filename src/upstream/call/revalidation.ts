import { DecoratorHandler, type Layer, type UpstreamResponse } from '../layer.ts';

/** Turns a 304 into the 200 that it stands for. The requests that joined the call have no validator, and need the body. */
export const revalidation: Layer = (next) => (request, handler) =>
  next(request, request.validator ? new ConditionalCall(request, handler) : handler);

class ConditionalCall extends DecoratorHandler {
  override onResponse(response: UpstreamResponse): void {
    const { validator } = this.request;
    if (response.status === 304 && validator) {
      response.status = 200;
      response.body = validator.body;
    }
    this.handler.onResponse(response);
  }
}
