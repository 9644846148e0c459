/** What was deleted is gone. */
export class DeletedResponse {
  id: string;
  message: string;

  static of(id: string, message: string): DeletedResponse {
    return Object.assign(new DeletedResponse(), { id, message });
  }
}
