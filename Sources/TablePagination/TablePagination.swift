@_exported public import HTTPModel
@_exported public import Pagination
@_exported public import TableAPI
